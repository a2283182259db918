/** Sends a request to an upstream without the SDK's client, which takes another 100 µs (decision 0015). */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { CLIENT_INFO, type UpstreamConnection } from "./client-pool.ts";
import { invalidResult } from "./read-content.ts";
import type { ExchangeOptions } from "./upstream-transport.ts";

/** Returns a result that is not validated. Rejects with a ProtocolError when the server returns an error. */
export async function sendPlainRequest(
  connection: UpstreamConnection,
  { method, params }: { method: "tools/call" | "tools/list"; params: JsonObject },
  options: ExchangeOptions,
): Promise<JsonObject> {
  const { client, transport } = connection;
  connection.calls += 1;
  const id = FIRST_ID + connection.calls;
  const isModern = client.getProtocolEra() === "modern";
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: client.getNegotiatedProtocolVersion() ?? "",
    [CLIENT_INFO_META_KEY]: CLIENT_INFO,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
  const request = {
    jsonrpc: "2.0" as const,
    id,
    method,
    params: isModern ? { ...params, _meta } : params,
  };
  try {
    return readResult(await transport.exchange(request, options), id, isModern);
  } catch (thrown) {
    const isTimeout = thrown instanceof AppError && thrown.code === "upstream_timeout";
    // Servers of the 2025 revisions continue after the connection is closed.
    if (!isModern && (isTimeout || options.signal?.aborted)) {
      const notification = { method: "notifications/cancelled", params: { requestId: id } };
      void client.notification(notification).catch(() => {});
    }
    throw thrown;
  }
}

/** Beyond the ids that the client of the SDK counts on the same connection; some servers accept only 32-bit numbers. */
const FIRST_ID = 1_000_000_000;

function readResult(response: unknown, id: number, isModern: boolean): JsonObject {
  const message = [response].flat().find((one) => isObject(one) && one.id === id);
  if (isObject(message) && isObject(message.error)) {
    const { code, message: text, data } = message.error;
    if (Number.isInteger(code) && typeof text === "string") {
      throw ProtocolError.fromError(Number(code), text, data);
    }
  }
  if (!isObject(message) || !isObject(message.result)) throw invalidResult();
  const { resultType, ...result } = message.result;
  // A server can require no input, because the gateway declares no capability for it.
  if (isModern && resultType !== "complete") throw invalidResult();
  return result;
}
