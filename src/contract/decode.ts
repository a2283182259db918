/** Validates a value against its schema. Errors name the path of the member. */
import type { z } from "zod";
import { describeIssue } from "./describe-issue.ts";
import { AppError, type ErrorCode } from "./errors.ts";

export function decode<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  code: ErrorCode = "validation_failed",
): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: false });
  if (parsed.success) return parsed.data;
  throw new AppError(code, describeIssues(parsed.error.issues));
}

const MAX_ISSUES = 5;

export function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const lines = dropWiderLimits(issues).flatMap(toSentences);
  const more = lines.length > MAX_ISSUES ? ` (and ${lines.length - MAX_ISSUES} more)` : "";
  return `${lines.slice(0, MAX_ISSUES).join("; ").replaceAll(".; ", "; ")}${more}`;
}

/** Drops duplicate length errors: a schema that narrows another reports both limits; the lower one applies. */
function dropWiderLimits(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const limits = new Map<string, number | bigint>();
  for (const issue of issues) {
    if (issue.code !== "too_big") continue;
    const at = formatPath(issue.path);
    const known = limits.get(at);
    if (known === undefined || issue.maximum < known) limits.set(at, issue.maximum);
  }
  return issues.filter(
    (issue) => issue.code !== "too_big" || issue.maximum === limits.get(formatPath(issue.path)),
  );
}

function toSentences(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${formatPath([...issue.path, key])}: unknown member`);
  }
  // A union fails as a whole; the branch with the fewest issues is the most useful one.
  if (issue.code === "invalid_union") {
    const [nearest] = [...issue.errors].sort((one, other) => one.length - other.length);
    if (nearest?.length) {
      return nearest.flatMap((inner) =>
        toSentences({ ...inner, path: [...issue.path, ...inner.path] }),
      );
    }
  }
  return [`${formatPath(issue.path) || "body"}: ${describeIssue(issue)}`];
}

/** Formats a path as `registries[0].models.default`. Cuts names, which are the caller's text, to 80 characters. */
export function formatPath(path: readonly PropertyKey[], parent = ""): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    const name = String(part).slice(0, 80);
    return text ? `${text}.${name}` : name;
  }, parent);
}
