/** Describes a validation issue by what the value must be. Messages that a schema defines are kept. */
import type { z } from "zod";

export function describeIssue(issue: z.core.$ZodIssue): string {
  if (!/^(Invalid|Too) /.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return FORMATS[issue.format] ?? issue.message;
    case "too_small":
      return describeLimit(
        issue,
        issue.minimum,
        issue.inclusive === false ? "more than" : "at least",
      );
    case "too_big":
      return describeLimit(
        issue,
        issue.maximum,
        issue.inclusive === false ? "less than" : "at most",
      );
    case "invalid_type":
      if (/received undefined$/.test(issue.message)) return "is required";
      if (issue.expected === "int") return "must be a whole number";
      if (/received NaN$/.test(issue.message)) return "must be a number";
      return issue.message.replace(/^Invalid input: /, "");
    case "invalid_union":
      return issue.errors.length === 0 ? "unknown value" : "invalid value";
    case "invalid_key": {
      const [first] = issue.issues;
      return first ? `the name ${describeIssue(first)}` : issue.message;
    }
    default:
      return issue.message.replace(/^Invalid input: /, "");
  }
}

const FORMATS: Record<string, string> = {
  uuid: "must be an id (a UUID)",
  datetime: "must be a time such as 2030-01-31T00:00:00Z",
  url: "must be an address such as https://example.com",
};

/** Units of sizes; numbers have none. */
const UNITS: Record<string, string> = {
  string: "characters",
  array: "entries",
  record: "members",
};

function describeLimit(
  { origin }: { origin: string },
  limit: number | bigint,
  words: string,
): string {
  const unit = UNITS[origin];
  if (!unit) return `must be ${words} ${limit}`;
  return words === "at least" && limit === 1
    ? "must not be empty"
    : `must have ${words} ${limit} ${unit}`;
}
