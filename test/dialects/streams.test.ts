/** Streams of every dialect: the same content as whole responses, for chunks of any size, and errors for invalid ones. */
import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/contract/errors.ts";
import { inboundDialects, outboundDialects } from "../../src/dialects/all.ts";
import type { OutboundDialect } from "../../src/dialects/dialect.ts";
import type {
  DialectName,
  NeutralEvent,
  NeutralResponse,
  OutputPart,
} from "../../src/dialects/neutral.ts";
import { createStreamTranslator } from "../../src/dialects/translate-stream.ts";
import type { JsonObject } from "../../src/lib/json/json-object.ts";
import { seeded } from "../kit/random.ts";
import type { ResponseCase } from "./cases/dialect-cases.ts";
import { CASES, encodeEvents, REPLY } from "./translate-case.ts";

const streams = Object.entries(outboundDialects).flatMap(([name, dialect]) =>
  Object.entries(CASES[name as DialectName]?.responses ?? {}).flatMap(
    ([label, { body, events }]) =>
      events ? [{ label: `${name} ${label}`, name, dialect, body, events }] : [],
  ),
);

/** Translates the chunks, and returns the error of an invalid stream at the end of the text. */
function translate(client: DialectName, outbound: OutboundDialect, chunks: Uint8Array[]): string {
  const inbound = inboundDialects[client];
  if (!inbound) throw new Error(`${client} is not a dialect of clients.`);
  const translator = createStreamTranslator(
    outbound.createStreamReader(),
    inbound.createStreamWriter(REPLY),
    { source: outbound.framing?.createSplitter() },
  );
  let text = "";
  try {
    for (const chunk of chunks) text += translator.push(chunk);
    return text + translator.end();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "upstream_failed") throw thrown;
    return `${text}${thrown.message}`;
  }
}

/** Reads the events as one response. */
function assemble(outbound: OutboundDialect, bytes: Uint8Array): NeutralResponse {
  const parts: OutputPart[] = [];
  const found: { id?: string; end?: NeutralEvent } = {};
  const collect = (event: NeutralEvent): string => {
    const part = parts.at(-1);
    if (event.type === "start" && event.id !== undefined) found.id = event.id;
    if (event.type === "part_start") parts.push({ ...event.part });
    if (event.type === "delta" && part) {
      if (part.type === "tool_call") part.arguments += event.text;
      else part.text += event.text;
    }
    if (event.type === "signature" && part && part.type !== "text")
      part.signature = event.signature;
    if (event.type === "end") found.end = event;
    return "";
  };
  const translator = createStreamTranslator(
    outbound.createStreamReader(),
    { write: collect },
    { source: outbound.framing?.createSplitter() },
  );
  translator.push(bytes);
  translator.end();
  const { end, ...start } = found;
  if (end?.type !== "end") throw new Error("The stream has no end.");
  const { type: _, ...rest } = end;
  return { ...start, parts, ...rest };
}

/** Parses arguments, whose white space may differ. */
const normalize = (response: NeutralResponse): unknown => ({
  ...response,
  parts: response.parts.map((part) =>
    part.type === "tool_call" ? { ...part, arguments: JSON.parse(part.arguments || "{}") } : part,
  ),
});

describe("a stream has the content of the whole response, and is invalid if that is", () => {
  const cases = streams.filter(({ body }) => body !== undefined);
  test.each(cases.map((one) => [one.label, one] as const))("%s", (_, { dialect, body, events }) => {
    // Cases with events have an object as body.
    const readWhole = () => normalize(dialect.readResponse(body as JsonObject));
    const readStream = () => normalize(assemble(dialect, encodeEvents(dialect, events)));
    const whole = attempt(readWhole);
    if (whole === undefined) expect(readStream).toThrow();
    else expect(readStream()).toEqual(whole);
  });
});

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

test("chunks of one byte are translated as one chunk", () => {
  for (const { name, dialect, events } of streams) {
    const client = name === "chat" ? "messages" : "chat";
    const bytes = encodeEvents(dialect, events);
    const single = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    const whole = translate(client, dialect, [bytes]);
    const split = translate(client, dialect, single);
    // An error discards what its own chunk produced before it.
    expect(split).toEndWith(whole);
    if (whole.endsWith("\n\n")) expect(split).toBe(whole);
  }
});

test("a stream with events removed, repeated, swapped or changed ends, or is an error of the upstream", () => {
  const random = seeded(18);
  const outcomes = new Set<boolean>();
  for (let round = 0; round < 3000; round++) {
    const { name, dialect, events } = random.pick(streams);
    const client = random.pick(
      (["chat", "messages", "responses", "generate_content"] as const).filter(
        (each) => each !== name,
      ),
    );
    const changed = mutate(random, events);
    const text = translate(client, dialect, [encodeEvents(dialect, changed)]);
    outcomes.add(text.endsWith("\n\n"));
  }
  expect(outcomes.size).toBe(2);
});

type Events = NonNullable<ResponseCase["events"]>;

function mutate({ below, pick }: ReturnType<typeof seeded>, events: Events): Events {
  const changed = structuredClone(events);
  for (let count = 1 + below(3); count > 0 && changed.length > 0; count--) {
    const at = below(changed.length);
    const event = changed[at];
    if (event === undefined) continue;
    const change = below(4);
    if (change === 0) changed.splice(at, 1);
    else if (change === 1) changed.splice(below(changed.length), 0, event);
    else if (change === 2) changed.push(...changed.splice(at, 1));
    else if (event !== "[DONE]") replaceValue({ below, pick }, event);
  }
  return changed;
}

const VALUES = [null, 0, "", "text", true, [], {}, [null], { type: "unknown" }];

/** Replaces a random value of the event, at any depth. */
function replaceValue(
  random: Pick<ReturnType<typeof seeded>, "below" | "pick">,
  target: JsonObject,
): void {
  const names = Object.keys(target);
  if (names.length === 0) return;
  const name = random.pick(names);
  const value = target[name];
  const isDeep = typeof value === "object" && value !== null && random.below(4) > 0;
  // A list has indexes for names.
  if (isDeep) replaceValue(random, value as JsonObject);
  // A copy: the value may be changed in turn.
  else target[name] = structuredClone(random.pick(VALUES));
}
