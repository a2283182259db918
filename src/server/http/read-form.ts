/** Reads the form of an OAuth token request (RFC 6749 section 2.3.1): credentials in the body or in HTTP Basic. */
import { AppError, type ErrorCode } from "../../contract/errors.ts";

/** curl -d sends JSON under this content type too, unless a header names another. */
export const isForm = ({ headers }: Pick<Request, "headers">): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");

export function readForm(bytes: Uint8Array, wrong: ErrorCode, request: Request): unknown {
  const text = Buffer.from(bytes).toString();
  if (/^\s*\{/.test(text)) return parseJson(text, wrong);
  const form = new URLSearchParams(text);
  const isRepeated = new Set(form.keys()).size < form.size;
  if (isRepeated) throw new AppError(wrong, "body: a parameter is repeated");
  const grant = form.get("grant_type");
  if (grant !== null && grant !== "client_credentials") {
    const details = { oauth: "unsupported_grant_type" };
    throw new AppError(wrong, "grant_type: must be client_credentials", { details });
  }
  const credentials = basicCredentials(request, wrong);
  if (credentials && form.has("client_secret")) {
    throw new AppError(wrong, "Send the credentials in the form or in HTTP Basic, not in both.");
  }
  return { ...Object.fromEntries(form), ...credentials };
}

function parseJson(text: string, wrong: ErrorCode): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError(wrong, "body: is not valid JSON");
  }
}

function basicCredentials(
  { headers }: Request,
  wrong: ErrorCode,
): { client_id: string; client_secret: string } | undefined {
  const [, encoded] = /^Basic\s+(\S+)\s*$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const plain = Buffer.from(encoded, "base64").toString();
  const colon = plain.indexOf(":");
  try {
    if (colon < 0) throw new Error("no colon");
    // Form-encoded, so that either may contain a colon.
    const [client_id = "", client_secret = ""] = [
      plain.slice(0, colon),
      plain.slice(colon + 1),
    ].map((part) => decodeURIComponent(part.replaceAll("+", " ")));
    return { client_id, client_secret };
  } catch {
    throw new AppError(wrong, "Authorization: must be Basic with client_id and client_secret");
  }
}
