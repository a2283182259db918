/** Sends calls to authorization servers through src/net, with limits on time and size. */
import type { FetchLike } from "@modelcontextprotocol/client";
import type { Deps } from "../../deps.ts";
import { measureJson } from "../../lib/json/measure-json.ts";
import { readReplyText } from "../../net/read-reply-bytes.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
const MAX_VALUES = 5_000;
/** Response headers that the SDK reads. */
const READ_HEADERS = ["content-type", "www-authenticate", "dpop-nonce"];

/** Redirects are not followed: the metadata must name the current endpoints. */
export function createOauthFetch(deps: Pick<Deps, "send">, allow_private: boolean): FetchLike {
  return async (url, init = {}) => {
    const { body } = init;
    const reply = await deps.send({
      url: String(url),
      method: init.method ?? "GET",
      headers: { accept: "application/json", ...Object.fromEntries(new Headers(init.headers)) },
      body:
        typeof body === "string" || body instanceof URLSearchParams
          ? new TextEncoder().encode(String(body))
          : null,
      allow_private,
      timeouts: { headers_ms: TIMEOUT_MS, idle_ms: TIMEOUT_MS },
    });
    const text = await readReplyText(reply, MAX_BYTES);
    const headers = READ_HEADERS.flatMap((name) => {
      const value = reply.headers.get(name);
      return value === undefined ? [] : [[name, value] as [string, string]];
    });
    // The SDK validates all values of a list, and takes up to 6 µs for each invalid one.
    const isReadable = measureJson(text).values <= MAX_VALUES;
    const readable = isReadable ? omitNullMembers(text) : "";
    return new Response(readable || null, { status: reply.status, headers });
  };
}

/** Servers write null for members without a value, which the SDK rejects. */
function omitNullMembers(text: string): string {
  if (!text.includes("null")) return text;
  try {
    return JSON.stringify(JSON.parse(text, (_, value) => value ?? undefined)) ?? text;
  } catch {
    return text; // the SDK reports it
  }
}
