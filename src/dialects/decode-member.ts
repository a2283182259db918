/** Validates members of a client's body. Errors name the full path of the member. */
import type { z } from "zod";
import { formatPath } from "../contract/decode.ts";
import { describeIssue } from "../contract/describe-issue.ts";
import { AppError } from "../contract/errors.ts";

/** `at` is the path of the value in the body, or empty for the body itself. */
export function decodeMember<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw parsed.error;
  throw toMemberError(issue, at);
}

export const memberError = (at: string, reason: string): AppError =>
  new AppError("invalid_request", `${at || "body"}: ${reason}`, { details: { param: at } });

function toMemberError(issue: z.core.$ZodIssue, at: string): AppError {
  const path = formatPath(issue.path, at);
  if (issue.code === "unrecognized_keys") {
    return memberError(formatPath(issue.keys.slice(0, 1), path), "unknown member");
  }
  // A union fails as a whole; the branch that fails deepest is the one that the client meant.
  if (issue.code === "invalid_union") {
    const [nearest] = issue.errors.flat().sort((one, other) => getDepth(other) - getDepth(one));
    if (nearest) return toMemberError(nearest, path);
  }
  return memberError(path, describeIssue(issue));
}

const getDepth = (issue: z.core.$ZodIssue): number =>
  issue.path.length + (issue.code === "unrecognized_keys" ? 1 : 0);
