/** Calls of credential sources: token endpoints and the metadata services of a machine. */
import { readFile } from "node:fs/promises";
import { AppError } from "../contract/errors.ts";
import type { Egress } from "../net/egress.ts";
import { readReplyText } from "../net/read-reply-bytes.ts";
import type { Send } from "../net/send.ts";

export interface IssuerCall {
  /** Name of the service in error messages, such as `AWS STS`. */
  issuer: string;
  url: string;
  method?: "GET" | "POST" | "PUT";
  headers?: Record<string, string>;
  /** Sent as a form, or as it is when it is text. */
  body?: Record<string, string> | string;
  /** The address comes from the environment or is a metadata service, so it may be private. */
  is_local?: boolean;
}

export interface IssuerResponse {
  status: number;
  text: string;
}

/** Services that a credential source may use. Calls follow the registry's rules for addresses. */
export interface IssuerHost {
  env: Readonly<Record<string, string | undefined>>;
  now: () => Date;
  call: (call: IssuerCall) => Promise<IssuerResponse>;
}

/** Registry on whose behalf an issuer is called. */
export interface CallingRegistry {
  allow_private: boolean;
  egress: Egress | undefined;
}

export const credentialError = (message: string, cause?: unknown): AppError =>
  new AppError("provider_credential_error", message, { cause });

const TIMEOUT_MS = 10_000;
/** Metadata services are on the same machine; elsewhere nothing responds. */
const LOCAL_TIMEOUT_MS = 2_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;

export const createIssuerCall =
  (send: Send, { allow_private, egress }: CallingRegistry): IssuerHost["call"] =>
  async ({ issuer, url, method = "GET", headers = {}, body, is_local = false }) => {
    const ms = is_local ? LOCAL_TIMEOUT_MS : TIMEOUT_MS;
    const isForm = typeof body === "object";
    const text = isForm ? new URLSearchParams(body).toString() : body;
    try {
      const reply = await send({
        url,
        method,
        headers: {
          ...(isForm && { "content-type": "application/x-www-form-urlencoded" }),
          ...headers,
        },
        body: text === undefined ? null : Buffer.from(text),
        allow_private,
        is_local,
        ...(egress && { egress }),
        signal: AbortSignal.timeout(ms),
        timeouts: { headers_ms: ms, idle_ms: ms },
      });
      return { status: reply.status, text: await readReplyText(reply, MAX_RESPONSE_BYTES) };
    } catch (thrown) {
      const error = AppError.from(thrown);
      // A damaged token is an invalid header, which is not an error of the client's request.
      if (!/^(upstream_|invalid_request$)/.test(error.code)) throw error;
      throw credentialError(`${issuer}: ${error.message}`, error);
    }
  };

/** `name` describes the file in the error; its path is not shown to clients. */
export async function readCredentialFile(path: string, name: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (cause) {
    throw credentialError(
      `The file of ${name} cannot be read. Check its path and permissions.`,
      cause,
    );
  }
}

/** Returns the JSON object of a successful response. The error contains codes of the issuer, but none of its text. */
export function parseIssued(issuer: string, { status, text }: IssuerResponse): IssuedMembers {
  const parsed = parseObject(text);
  if (status === 200 && parsed) return parsed;
  throw rejectedBy(issuer, status, parsed ? findErrorCodes(parsed) : []);
}

export type IssuedMembers = Record<string, unknown>;

export function rejectedBy(issuer: string, status: number, codes: readonly string[]): AppError {
  const shown = codes.filter((code) => /^[\w.-]{1,64}$/.test(code)).join(", ");
  return credentialError(
    `${issuer} returned status ${status}${shown && ` (${shown})`} instead of a credential. Check the identity of the registry and its permissions.`,
  );
}

export function parseObject(text: string): IssuedMembers | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Members of a list are not found by name, so a list needs no special case.
    return typeof value === "object" && value !== null ? (value as IssuedMembers) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the codes of OAuth, of Entra (`AADSTS…` in the description) and of Google's APIs. */
function findErrorCodes({ error, error_description }: IssuedMembers): string[] {
  const entra = /AADSTS\d+/.exec(String(error_description))?.[0];
  const code = typeof error === "object" ? (error as { status?: unknown } | null)?.status : error;
  return [code, entra].flatMap((each) => (typeof each === "string" ? [each] : []));
}
