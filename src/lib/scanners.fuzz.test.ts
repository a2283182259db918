/** Compares the streaming scanners with simple readers of the whole text, on thousands of random inputs. */
import { expect, test } from "bun:test";
import { parseMember, scanMembers } from "./json/scan-members.ts";
import { spliceMember } from "./json/splice-member.ts";
import { readPartHeaders } from "./multipart/part-headers.ts";
import { createFieldScan } from "./multipart/scan-field.ts";
import { canReadAs } from "./text/fold-name.ts";

/** mulberry32: small, seeded, good enough to shuffle test inputs. */
function seeded(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T; // never empty
  return { below, pick };
}
type Random = ReturnType<typeof seeded>;

const NAMES = ["model", "stream", "x", "\\u006dodel", "mode", "models", "é", "__proto__", ""];
const SCALARS = ["0", "-0.5e+3", "12345678901234567890", "true", "false", "null", '"m"', '"a\\"}"'];
const TEXTS = [
  '"\\ud83d\\ude00é"',
  '"{\\"model\\":1}"',
  `"${"long ".repeat(300)}"`,
  '"\\u0000/\\/"',
];
const space = ({ pick }: Random) => pick(["", "", "", " ", "\n\t", "\r\n  "]);

function randomValue(random: Random, depth: number): string {
  const kind = depth > 3 ? 0 : random.below(6);
  if (kind === 4) return randomObject(random, depth + 1);
  if (kind < 4) return random.pick(kind < 3 ? SCALARS : TEXTS);
  const items = Array.from({ length: random.below(4) }, () => randomValue(random, depth + 1));
  return `[${space(random)}${items.join(`${space(random)},${space(random)}`)}${space(random)}]`;
}

function randomObject(random: Random, depth = 0): string {
  const members = Array.from({ length: random.below(6) }, () => {
    const value = randomValue(random, depth);
    return `${space(random)}"${random.pick(NAMES)}"${space(random)}:${space(random)}${value}`;
  });
  return `{${members.join(`${space(random)},`)}${space(random)}}`;
}

/** Changes up to a few places: one byte changed, a range removed or repeated. */
function mutate(random: Random, bytes: Buffer, alphabet: Buffer): Buffer {
  let mutated = Buffer.from(bytes);
  for (let i = random.below(3); i > 0; i--) {
    const at = random.below(mutated.length + 1);
    const until = Math.min(mutated.length, at + random.below(4));
    const middle = random.pick([
      Buffer.alloc(0),
      Buffer.concat([mutated.subarray(at, until), mutated.subarray(at, until)]),
      Buffer.from([random.pick([...alphabet])]),
    ]);
    mutated = Buffer.concat([mutated.subarray(0, at), middle, mutated.subarray(until)]);
  }
  return mutated;
}

function plainObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const parsed = JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    );
    return typeof parsed === "object" && !Array.isArray(parsed) ? (parsed ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** After a splice JSON.parse must return the same value as before, with the one member changed. */
function checkJson(bytes: Buffer) {
  const expected = plainObject(bytes);
  const members = scanMembers(bytes, ["model", "stream", "é"]);
  expect([members.ok, bytes.toString("latin1")]).toEqual([
    expected !== undefined,
    bytes.toString("latin1"),
  ]);
  if (!members.ok || !expected) return false;

  for (const name of ["model", "stream", "é"] as const) {
    const others = (object?: object) =>
      Object.entries(object ?? {})
        .filter(([key]) => key !== name)
        .sort();
    const replaced = plainObject(spliceMember(members, name, Buffer.from('{"new":[1]}')));
    const removed = plainObject(spliceMember(members, name, undefined));
    expect(parseMember(members, name)).toEqual(expected[name]);
    expect(replaced?.[name]).toEqual({ new: [1] });
    expect(Object.hasOwn(removed ?? {}, name)).toBe(false);
    expect(others(replaced)).toEqual(others(expected));
    expect(others(removed)).toEqual(others(expected));
  }
  return true;
}

test("JSON: 6,000 random and broken documents are parsed like JSON.parse does", () => {
  const random = seeded(1);
  const alphabet = Buffer.from('{}[]":,\\ue0-+.1 \n\0\xff\xc3', "latin1");
  let valid = 0;

  for (let i = 0; i < 6000; i++) {
    const text = `${space(random)}${randomObject(random)}${space(random)}`;
    if (checkJson(mutate(random, Buffer.from(text), alphabet))) valid++;
  }

  expect(valid).toBeGreaterThan(2000);
  expect(valid).toBeLessThan(5000);
});

const BOUNDARY = "-:B";
const HEADERS = [
  'Content-Disposition: form-data; name="model"',
  'Content-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: image/png',
  'Content-Disposition: form-data; name="prompt"',
];
const CONTENTS = [
  "",
  "m",
  "\r\n",
  "--",
  "\r\n--",
  "\r\n---:",
  "x---:B",
  "-",
  "\r",
  "\n",
  "\r\r\n-",
];

function randomForm(random: Random): Buffer {
  const parts = Array.from({ length: random.below(5) }, () => {
    const content = Array.from({ length: random.below(4) }, () => random.pick(CONTENTS)).join("");
    return `--${BOUNDARY}\r\n${random.pick(HEADERS)}\r\n\r\n${content}\r\n`;
  });
  const preamble = random.pick(["", "", "", "", "", "", "\r\n", "preamble\r\n"]);
  return Buffer.from(
    `${preamble}${parts.join("")}--${BOUNDARY}--${random.pick(["", "\r\n", "z"])}`,
  );
}

/** The simple reader: splits the whole text at its delimiters. Returns undefined for a rejected form. */
function plainForm(body: Buffer): { value: string | undefined } | undefined {
  const [preamble = "", ...pieces] = `\r\n${body.toString("latin1")}`.split(`\r\n--${BOUNDARY}`);
  const last = pieces.findIndex((piece) => piece.startsWith("--"));
  const loose = new RegExp(`(?:^|[^\r])\n--${BOUNDARY}|\r--${BOUNDARY}`);
  const [upToEnd = "", behind = "", ...ends] = `\r\n${body.toString("latin1")}`.split(
    `\r\n--${BOUNDARY}--`,
  );
  if (last < 0 || loose.test(upToEnd)) return undefined;
  if (ends.length > 0 || preamble.trim() !== "" || behind.trim() !== "") return undefined;

  const values: string[] = [];
  const paddings = new Set<boolean>();
  for (const piece of pieces.slice(0, last)) {
    const [, padding, headers, content = ""] =
      /^([ \t]*)\r\n(.*?)\r\n(?:\r\n(.*))?$/s.exec(piece) ?? [];
    paddings.add(padding !== "");
    // A piece may end with its headers only when the blank line is part of the delimiter.
    const part = headers === undefined ? undefined : readPartHeaders(headers);
    if (!part || (part.name === "model" ? part.file : canReadAs(part.name, "model")))
      return undefined;
    if (part.name === "model") values.push(content);
  }
  return new Set(values).size > 1 || paddings.size > 1 ? undefined : { value: values[0] };
}

function scanForm(random: Random, body: Buffer): { value: string | undefined } | undefined {
  const scan = createFieldScan(BOUNDARY, { name: "model" });
  const most = random.pick([1, 2, 5, 40, 1000]);
  for (let at = 0; at < body.length; ) {
    const chunk = Buffer.from(body.subarray(at, at + 1 + random.below(most)));
    scan.push(chunk);
    at += chunk.length;
    chunk.fill(0x2d); // a kept reference would now read dashes
  }
  scan.end();
  return scan.problem === undefined ? { value: scan.value } : undefined;
}

test("multipart: 12,000 random and broken forms in random chunks are parsed like the whole", () => {
  const random = seeded(2);
  const alphabet = Buffer.from(`\r\n-:B"; xm=`);
  let whole = 0;

  for (let i = 0; i < 12_000; i++) {
    const body = mutate(random, randomForm(random), alphabet);
    const expected = plainForm(body);
    expect([scanForm(random, body), body.toString("latin1")]).toEqual([
      expected,
      body.toString("latin1"),
    ]);
    if (expected) whole++;
  }

  expect(whole).toBeGreaterThan(3000);
  expect(whole).toBeLessThan(10_000);
});
