/** Reads and parses the body of an MCP request: capped, and counted against the memory of its caller. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { jsonWeight } from "../../lib/json-weight.ts";
import { within } from "../../lib/within.ts";
import type { MemoryHold } from "../memory-holds.ts";

/** A body is in memory as bytes, as text, as a parsed value, and as what is sent on. */
const COPIES = 4;

/** A JSON-RPC message, or a batch of them; whether it is one is checked by the SDK. */
export async function readMessage(
  { settings }: Deps,
  request: Request,
  hold: MemoryHold,
): Promise<unknown> {
  const max = settings.JSON_BODY_MIB * 1024 * 1024;
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > max) throw tooLarge(max);
  let size = 0;
  const reading = readBytes(request, (bytes) => {
    size += bytes;
    if (size > max) throw tooLarge(max);
    hold.add(bytes * COPIES);
  });
  const bytes = await within(reading, settings.UPLOAD_IDLE_TIMEOUT_S * 1000, tooSlow);
  const text = new TextDecoder().decode(bytes);
  hold.add(jsonWeight(text));
  const message = parsed(text);
  if (Array.isArray(message) && (message.length === 0 || message.length > MAX_BATCH)) {
    throw new AppError("invalid_request", `A batch has 1 to ${MAX_BATCH} messages.`);
  }
  return message;
}

/** The SDK refuses more; here they are refused before they are counted. */
const MAX_BATCH = 100;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("invalid_json");
  }
}

/** `count` is called with the bytes of each chunk before it is kept. */
async function readBytes(request: Request, count: (bytes: number) => void): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request.body ?? []) {
    count(chunk.byteLength);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const tooSlow = () => new AppError("request_timeout");
const tooLarge = (max: number) =>
  new AppError("too_large", `The body exceeds the limit of ${max} bytes (JSON_BODY_MIB).`);
