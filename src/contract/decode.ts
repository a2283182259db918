/** Checks a value against its schema; what is wrong is told with the path of the member. */
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
  const lines = narrowest(issues).flatMap(sentences);
  const more = lines.length > MAX_ISSUES ? ` (and ${lines.length - MAX_ISSUES} more)` : "";
  return `${lines.slice(0, MAX_ISSUES).join("; ").replaceAll(".; ", "; ")}${more}`;
}

/** A shape that narrows another refuses what is too long twice: the shorter length is the one to keep to. */
function narrowest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const least = new Map<string, number | bigint>();
  for (const issue of issues) {
    if (issue.code !== "too_big") continue;
    const at = formatPath(issue.path);
    const known = least.get(at);
    if (known === undefined || issue.maximum < known) least.set(at, issue.maximum);
  }
  return issues.filter(
    (issue) => issue.code !== "too_big" || issue.maximum === least.get(formatPath(issue.path)),
  );
}

function sentences(issue: z.core.$ZodIssue): string[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${formatPath([...issue.path, key])}: unknown member`);
  }
  // A union fails as a whole; the branch that got furthest tells the most.
  if (issue.code === "invalid_union") {
    const [nearest] = [...issue.errors].sort((one, other) => one.length - other.length);
    if (nearest?.length) {
      return nearest.flatMap((inner) =>
        sentences({ ...inner, path: [...issue.path, ...inner.path] }),
      );
    }
  }
  return [`${formatPath(issue.path) || "body"}: ${describeIssue(issue)}`];
}

/** `registries[0].models.default`. Names are the caller's own text, so they are cut to a sane length. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    const name = String(part).slice(0, 80);
    return text ? `${text}.${name}` : name;
  }, "");
}
