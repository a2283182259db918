/** Reads and parses the body of an MCP request, capped and counted against the caller's memory budget. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { isObject } from "../../lib/json/json-object.ts";
import { hasMoreValues, MAX_MEMBERS, measureJson } from "../../lib/json/measure-json.ts";
import {
  MAX_EXACT_WEIGHT,
  mayContainLongInteger,
  parseExactJson,
  roundMember,
} from "../../lib/json/parse-exact-json.ts";
import { MAX_DEPTH } from "../../lib/json/skip-value.ts";
import { bodyLimits, readBody } from "../../read-body.ts";
import type { ByteReservation } from "../../reserve-bytes.ts";
import { takeTurnToParse } from "../../take-turn.ts";
import { readMember } from "./running-requests.ts";

/** A body is in memory as bytes, as text, as a parsed value, and as the forwarded text. */
const COPIES = 4;
/** The shortest message may list hundreds of tools, which takes as long as parsing this many bytes. */
const MIN_COST_BYTES = 16 * 1024;

/** Returns a JSON-RPC message or a batch, which the SDK validates. */
export async function readMessage(
  deps: Deps,
  request: Request,
  { memory, holder: owner }: { memory: ByteReservation; holder: string },
): Promise<unknown> {
  const limits = bodyLimits(deps, "JSON_BODY_MIB");
  const bytes = await readBody(request, limits, {
    onLength: (length) => memory.check(length * COPIES),
    onBytes: (count) => memory.add(count * COPIES),
  });
  const size = Math.max(bytes.length, MIN_COST_BYTES);
  await takeTurnToParse(deps, { owner, size, client: request });
  const text = new TextDecoder().decode(bytes);
  const { weight, depth, members } = measureJson(text);
  // JSON.stringify takes quadratic time in the depth: 200,000 levels take seconds.
  if (depth > MAX_DEPTH) {
    throw new AppError("invalid_request", `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  if (members > MAX_MEMBERS) {
    throw new AppError("too_large", `The body has more than ${MAX_MEMBERS} members.`);
  }
  if (weight > MAX_EXACT_WEIGHT && mayContainLongInteger(text)) {
    const problem = "The body has too many values beside an integer of 16 digits or more.";
    throw new AppError("too_large", `${problem} Send it in parts.`);
  }
  memory.add(weight);
  const message = parseJson(text);
  if (Array.isArray(message) && (message.length === 0 || message.length > MAX_BATCH)) {
    throw new AppError("invalid_request", `A batch must have 1 to ${MAX_BATCH} messages.`);
  }
  const messages = [message].flat();
  if (hasMoreValues(messages.map(omitArguments), MAX_VALIDATED_VALUES)) {
    const problem = `The body has more than ${MAX_VALIDATED_VALUES} values besides arguments of tools.`;
    throw new AppError("too_large", problem);
  }
  for (const one of messages) checkRepeatedValues(one);
  return message;
}

/** Resolves when a message of a batch may be handled. Callers take turns. */
export const takeTurnForMessage = (deps: Pick<Deps, "turns">, owner: string): Promise<void> =>
  takeTurnToParse(deps, { owner, size: MIN_COST_BYTES, client: undefined });

/** The SDK's limit, checked here before the batch counts against the rate limits. */
const MAX_BATCH = 100;

/** The SDK takes up to 30 µs to validate each of them, and describes each invalid one in its response. */
const MAX_VALIDATED_VALUES = 2_000;

/** Returns a message without the arguments of a tool, which the SDK does not validate. */
function omitArguments(message: unknown): unknown {
  if (!isObject(message) || !isObject(message.params)) return message;
  const { arguments: args, ...params } = message.params;
  // Other values of this name are rejected by the SDK, as a whole.
  return { ...message, params: isObject(args) ? params : message.params };
}

/** Characters of values that are repeated in many notifications, to a client that may not read them. */
const MAX_REPEATED_CHARACTERS = 1024;

function checkRepeatedValues(message: unknown): void {
  const meta = readMember(readMember(message, "params"), "_meta");
  const values = {
    id: readMember(message, "id"),
    progressToken: readMember(meta, "progressToken"),
  };
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== "string" || value.length <= MAX_REPEATED_CHARACTERS) continue;
    const problem = `${name}: must have at most ${MAX_REPEATED_CHARACTERS} characters`;
    throw new AppError("invalid_request", problem);
  }
}

function parseJson(text: string): unknown {
  try {
    return roundArguments(parseExactJson(text));
  } catch {
    throw new AppError("invalid_json");
  }
}

/** Rounds arguments that are a long integer, so that they are rejected like other numbers. */
function roundArguments(body: unknown): unknown {
  for (const message of [body].flat()) {
    if (isObject(message) && isObject(message.params)) roundMember(message.params, "arguments");
  }
  return body;
}
