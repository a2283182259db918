/** Reads and rewrites random payloads: every text is read, and only changed texts differ in the copy. */
import { expect, test } from "bun:test";
import type { JsonObject } from "../../src/lib/json/json-object.ts";
import { parseStrict } from "../../src/lib/json/parse-strict.ts";
import type { TextChange } from "../../src/policy/masking/apply-masks.ts";
import { readPayload } from "../../src/policy/payload/read-payload.ts";
import { rewritePayload } from "../../src/policy/payload/rewrite-payload.ts";
import { type Random, seeded } from "../kit/random.ts";
import { type RandomPayload, randomPayload, STYLES, TOKEN } from "./random-payload.ts";

const ROUNDS = 150;

test.each(STYLES)("random payloads: every text is read once, and ids are not: %s", (style) => {
  const random = seeded(5);

  for (let round = 0; round < ROUNDS; round++) {
    const made = randomPayload(random, style);
    const texts = read(random, made).segments.map(({ text }) => text);
    expect(texts.flatMap((text) => text.match(TOKEN) ?? []).sort()).toEqual(made.seen.toSorted());
  }
});

test.each(STYLES)("random payloads: a copy differs only in the changed texts: %s", (style) => {
  const random = seeded(6);
  let changed = 0;

  for (let round = 0; round < ROUNDS; round++) {
    const made = randomPayload(random, style);
    const { body, segments } = read(random, made);
    const changes = segments
      .filter(({ isName, isNumber }) => !isName && !isNumber && random.below(2) === 0)
      .map((segment) => ({ segment, text: segment.text.replace(TOKEN, MASK) }));
    changed += changes.length;

    const copy = rewritePayload(body, changes);

    expect(plain(copy, made)).toBe(plain(expectedCopy(made, changes), made));
    expect(parseStrict(Buffer.from(copy))).toMatchObject({ ok: true });
    expect(newlines(copy)).toEqual(newlines(made.copy));
    for (const { segment } of changes) {
      for (const [token] of segment.text.matchAll(TOKEN))
        expect(strings(copy)).not.toContain(token);
    }
  }

  expect(changed).toBeGreaterThan(ROUNDS / 3);
});

test("random bytes in a payload: parseStrict rejects what JSON.parse rejects, and parses the rest alike", () => {
  const random = seeded(7);
  const outcomes = { taken: 0, broken: 0, other: 0 };

  for (let round = 0; round < 3000; round++) {
    const bytes = Buffer.from(randomPayload(random, random.pick(STYLES)).payload);
    bytes[random.below(bytes.length)] = random.pick([
      ...Buffer.from('{}[]":,\\ud8 1\0\xff', "latin1"),
    ]);
    const parsed = parseStrict(bytes);
    if (parsed.ok) {
      expect(parsed.value).toEqual(JSON.parse(parsed.text));
      if (!parsed.isRepaired) expect(parsed.text).toBe(bytes.toString());
    }
    const broken = !parsed.ok && parsed.reason.startsWith("not valid JSON");
    if (broken) expect(() => JSON.parse(bytes.toString())).toThrow();
    outcomes[parsed.ok ? "taken" : broken ? "broken" : "other"]++;
  }

  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(100);
});

const MASK = '[MASKED "é\\😀]';

function read(random: Random, made: RandomPayload) {
  const extra = random.pick(["", ',"attributes":{"payload":{"input":"x"}}', ',"session_id":"s"']);
  const body = random.pick([
    `{"payload":${made.payload}${extra}}`,
    ` { "direction" : "input" ${extra} , "payload"\n: ${made.payload} } `,
  ]);
  const parsed = parseStrict(Buffer.from(body));
  if (!parsed.ok) throw new Error(parsed.reason);
  const { payload } = parsed.value as { payload: JsonObject };
  const direction = random.pick(["input", "output"] as const);
  return { body, ...readPayload(payload, { direction, protocol: "all", attributes: {} }) };
}

/** Replaces literals in the source text. Each contains a unique token. */
function expectedCopy({ copy, literals }: RandomPayload, changes: readonly TextChange[]): string {
  const literalOf = (text: string) => literals.get(text) ?? `no literal of ${JSON.stringify(text)}`;
  let expected = copy;
  const documents = new Map<string, { from: string; to: string }>();
  for (const { segment, text } of changes) {
    if (segment.inner === null) {
      expected = expected.replace(literalOf(segment.text), () => JSON.stringify(text));
      continue;
    }
    const holder = [...literals.keys()].find(
      (each) => each.includes(literalOf(segment.text)) && each !== segment.text,
    );
    const document = documents.get(segment.pointer) ?? { from: holder ?? "", to: holder ?? "" };
    document.to = document.to.replace(literalOf(segment.text), () => JSON.stringify(text));
    documents.set(segment.pointer, document);
  }
  for (const { from, to } of documents.values()) {
    expected = expected.replace(literalOf(from), () => JSON.stringify(to));
  }
  return expected;
}

/** Ignores white space where members were dropped. */
const plain = (text: string, { payload, copy }: RandomPayload) =>
  payload === copy ? text : JSON.stringify(JSON.parse(text));

/** Counts the newlines of each text of the copy. */
const newlines = (text: string) => leaves(JSON.parse(text)).map((leaf) => leaf.split("\n").length);
const strings = (text: string) => leaves(JSON.parse(text)).join("\n");

function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}
