/** Removes secrets from values that are logged. */

const SECRET_NAME =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-ag-api-key|api-key|x-goog-api-key|x-amz-security-token|.*(password|secret|api_?key|access_?key|access_?token|refresh_?token|session_?token)|client_assertion|assertion|subject_token|credentials|proxy_url|token|key)$/i;

/** Our own keys, bearer credentials, common upstream keys, and passwords in URLs. Any white space would take quadratic time. */
const SECRET_TEXT =
  /\b(?:ag|pa|pp|pc|ps)_[A-Za-z0-9_-]{20,}|\bsk-[A-Za-z0-9_-]{12,}|(?<=\bBearer\s{1,16})[\w.~+/=-]{8,}|(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g;

const REDACTED = "[redacted]";

/** Part of every match of SECRET_TEXT, whose lookbehinds take 2 µs for an id: most text contains no such part. */
const PART_OF_SECRET = /(?:ag|pa|pp|pc|ps)_|sk-|Bearer|:\/\//;

export const redactText = (text: string): string =>
  PART_OF_SECRET.test(text) ? text.replace(SECRET_TEXT, REDACTED) : text;

export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > 8) return "…";
  if (value instanceof Date) return value;
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_NAME.test(name) && member ? REDACTED : redact(member, depth + 1),
    ]),
  );
}

function redactError(error: Error, depth: number): object {
  return {
    name: error.name,
    message: redactText(error.message),
    stack: redactText(error.stack ?? ""),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  };
}
