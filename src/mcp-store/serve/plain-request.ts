/**
 * Recognizes the requests that are most of the traffic, `tools/call` and `tools/list` without progress, so that they
 * are served without the SDK (decision 0015). Everything else is left to the SDK, which also rejects invalid requests.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  isJsonContentType,
  LOG_LEVEL_META_KEY,
  type McpRequestContext,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { isObject } from "../../lib/json/json-object.ts";

export type PlainRequest = {
  id: string | number;
  /** `modern` is the revision of 2026. */
  era: McpRequestContext["era"];
  /** The client declares that it can open links. */
  opens_links: boolean;
} & (
  | { method: "tools/list" }
  | { method: "tools/call"; name: string; args: Record<string, unknown> | undefined }
);

/** Returns undefined for a request that the SDK must serve. */
export function readPlainRequest(headers: Headers, message: unknown): PlainRequest | undefined {
  if (!isObject(message) || !isJsonContentType(headers.get("content-type"))) return undefined;
  const { jsonrpc, id, method, params = {}, ...others } = message;
  if (jsonrpc !== "2.0" || hasMembers(others) || !isObject(params)) return undefined;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  const { _meta = {}, name, arguments: args, ...more } = params;
  if (!isObject(_meta) || hasMembers(more) || "progressToken" in _meta) return undefined;
  const era = readEra(headers, _meta, { method, name });
  if (!era) return undefined;
  const request = { id: id as string | number, ...era };
  if (method === "tools/list" && name === undefined && args === undefined) {
    return { ...request, method };
  }
  if (method !== "tools/call" || typeof name !== "string") return undefined;
  return args === undefined || isObject(args) ? { ...request, method, name, args } : undefined;
}

/** Returns undefined where the headers and the members of the request do not belong together. */
function readEra(
  headers: Headers,
  meta: Record<string, unknown>,
  { method, name }: { method: unknown; name: unknown },
): Pick<PlainRequest, "era" | "opens_links"> | undefined {
  const version = headers.get("mcp-protocol-version");
  const [method_header, name_header] = [headers.get("mcp-method"), headers.get("mcp-name")];
  if (Object.keys(meta).some((key) => key.startsWith(RESERVED_PREFIX))) {
    const isPlain =
      version === MODERN_VERSION &&
      meta[PROTOCOL_VERSION_META_KEY] === version &&
      method_header === method &&
      name_header === (name ?? null) &&
      !(LOG_LEVEL_META_KEY in meta);
    const capabilities = meta[CLIENT_CAPABILITIES_META_KEY];
    if (!isPlain || !isObject(capabilities) || !isClientInfo(meta[CLIENT_INFO_META_KEY])) {
      return undefined;
    }
    // The gateway reads no other capability.
    const { elicitation = {} } = capabilities;
    return isObject(elicitation) ? { era: "modern", opens_links: "url" in elicitation } : undefined;
  }
  const isPlain =
    (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) &&
    method_header === null &&
    name_header === null &&
    acceptsBothTypes(headers.get("accept"));
  return isPlain ? { era: "legacy", opens_links: false } : undefined;
}

const isClientInfo = (info: unknown): boolean =>
  info === undefined ||
  (isObject(info) && typeof info.name === "string" && typeof info.version === "string");

const MODERN_VERSION = "2026-07-28";
const RESERVED_PREFIX = "io.modelcontextprotocol/";

/** A client of 2025 must accept JSON and events. */
const acceptsBothTypes = (accept: string | null): boolean =>
  acceptsAnyType(accept) ||
  (accept?.includes("application/json") === true && accept.includes("text/event-stream"));

/** Returns true for a missing header and for wildcards. */
export const acceptsAnyType = (accept: string | null): boolean => /^$|\*/.test(accept ?? "");

const hasMembers = (value: object): boolean => Object.keys(value).length > 0;
