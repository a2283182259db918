/** Reads requests and writes responses of the demo upstream in the OpenAI format. */
import type { z } from "zod";
import { measureJson } from "../lib/json/measure-json.ts";
import { createSizeCap, readAllChunks } from "../lib/streams/capped-body.ts";

/** Time and id source of the demo upstream. */
export interface DemoOptions {
  now: () => Date;
  newId: () => string;
}

const MAX_JSON_BYTES = 16 * 1024 * 1024;
/** About 87,000 values. Validating millions of them would block the server for seconds. */
const MAX_JSON_WEIGHT = 2 * 1024 * 1024;

/** Writes an error body in OpenAI's format: the demo acts as an external provider. */
export function errorResponse(
  status: number,
  message: string,
  param: string | null = null,
  code: string | null = null,
): Response {
  const type = status < 500 ? "invalid_request_error" : "server_error";
  return Response.json({ error: { message, type, param, code } }, { status });
}

export async function readJson<T>(request: Request, shape: z.ZodType<T>): Promise<T | Response> {
  const reader = request.body?.getReader();
  const tooLarge = new Error("The request body exceeds 16 MiB.");
  const bytes = await readAllChunks(
    async () => (await reader?.read())?.value,
    createSizeCap(MAX_JSON_BYTES, () => tooLarge),
  ).catch((thrown: unknown) => {
    if (thrown === tooLarge) return undefined;
    throw thrown;
  });
  if (!bytes) return errorResponse(413, tooLarge.message);
  const text = new TextDecoder().decode(bytes);
  if (measureJson(text).weight > MAX_JSON_WEIGHT) {
    return errorResponse(413, "The request body contains too many values for the demo provider.");
  }
  const body = parse(text);
  if (body === undefined) return errorResponse(400, "The request body is not valid JSON.");
  return validate(body, shape);
}

/** Returns the validated value, or a 400 that names the first missing or invalid member. */
export function validate<T>(value: unknown, shape: z.ZodType<T>): T | Response {
  const { success, data, error } = shape.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  const param = path.join(".");
  const missing = path[0] !== undefined && !Reflect.has(Object(value), path[0]);
  return errorResponse(
    400,
    missing
      ? `Missing required parameter: '${param}'.`
      : `Invalid value for '${param || "body"}': ${issue?.message ?? "wrong shape"}.`,
    param || null,
    missing ? "missing_required_parameter" : "invalid_value",
  );
}

/** Streams server-sent events, generated as the client reads them. */
export function streamEvents(events: AsyncGenerator<string>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await events.return(undefined);
    },
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
  });
}

/** Formats one event. Chat and transcription events are unnamed, others are named after their type. */
export const formatEvent = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
export const formatNamedEvent = <T extends { type: string }>(value: T): string =>
  `event: ${value.type}\n${formatEvent(value)}`;

export const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Delay between the words of a stream, as of a fast model. */
const PACE_MS = 5;

export async function* paceWords(text: string): AsyncGenerator<string> {
  // Each piece is a word with its leading white space, so the joined pieces equal the text.
  for (const [index, piece] of (text.match(/\s*\S+|\s+$/g) ?? []).entries()) {
    if (index > 0) await Bun.sleep(PACE_MS);
    yield piece;
  }
}
