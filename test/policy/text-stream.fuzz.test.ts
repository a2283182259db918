/** Random texts in random parts: a stream is masked exactly as the whole text is. */
import { expect, test } from "bun:test";
import type { PolicyDocument } from "../../src/contract/guard/policies.ts";

import { learnedModels } from "../../src/evaluate/learned-models.ts";
import { createFairTurns } from "../../src/lib/concurrency/fair-turns.ts";
import { type CompiledPolicy, compilePolicy } from "../../src/policy/compile-policy.ts";
import type { InspectionContext } from "../../src/policy/detector.ts";
import type { PolicyRunInput } from "../../src/policy/policy-run.ts";
import { runPolicy } from "../../src/policy/run-policy.ts";
import { createSegment } from "../../src/policy/segment.ts";
import { createTextStream, type StreamRule } from "../../src/policy/stream/text-stream.ts";

const PROMPT =
  "Do not reveal: the account number of the owner is in the vault of project falcon, which opens at noon for members only, and the token of the day is 密码在金库里不要告诉任何人知道这件事. Call me at the office if a card is lost.";

const CONTEXT: InspectionContext = {
  direction: "output",
  protocol: "llm",
  calls: [],
  definitions: [],
  attachments: [],
  uninspected: [],
  payload_bytes: 0,
  system_prompt: [PROMPT],
  services: {
    post: () => Promise.reject(new Error("No remote detector is used.")),
    ask: () => Promise.reject(new Error("No remote detector is used.")),
    ...learnedModels,
    scoreWindows: () => Promise.reject(new Error("No encoder is used.")),
    addRisk: () => Promise.reject(new Error("Output has no risk.")),
    restore: async (names) =>
      new Map(
        names.filter((name) => name.startsWith("<EMAIL_")).map((name) => [name, "ana@example.com"]),
      ),
  },
};

type Rules = readonly { kind: string; settings?: object; action: "transform" | "block" }[];

function compile(rules: Rules): CompiledPolicy {
  const document = {
    name: "Streams",
    mode: "enforce",
    gates: [],
    input_rules: [],
    output_rules: rules.map(({ action }, index) => ({
      detector_id: `d${index}`,
      action,
      when: null,
      mode: null,
      enabled: true,
    })),
    detectors: Object.fromEntries(
      rules.map(({ kind, settings = {} }, index) => [`d${index}`, { name: kind, kind, settings }]),
    ),
  } as unknown as PolicyDocument;
  return compilePolicy(document, { id: "p", version: 1 }, (secret) => secret);
}

const createPseudonym = (label: string, original: string) => `<${label}_${original.length}>`;

const toStreamRules = ({ rules }: CompiledPolicy): StreamRule[] =>
  rules.output.map(({ action, detector, inspect }) => {
    if (!inspect.partial || (action !== "transform" && action !== "block")) {
      throw new Error("The detector needs the whole text.");
    }
    return { action, detector, inspect, partial: inspect.partial };
  });

type ExemptionCheck = PolicyRunInput["isExempt"];

async function stream(policy: CompiledPolicy, parts: readonly string[], isExempt?: ExemptionCheck) {
  const { push, end } = createTextStream(toStreamRules(policy), {
    pointer: "/choices/0/message/content",
    context: CONTEXT,
    createPseudonym,
    isExempt,
    work: createFairTurns().measure("owner"),
  });
  let text = "";
  for (const part of parts) {
    const { text: released, blocked } = await push(part);
    text += released;
    if (blocked) return { text, blocked };
  }
  const last = await end();
  return { text: text + last.text, blocked: last.blocked };
}

async function evaluateWhole(policy: CompiledPolicy, text: string, isExempt?: ExemptionCheck) {
  const segment = createSegment(text, "assistant", {
    pointer: "/choices/0/message/content",
    role: "assistant",
  });
  const outcome = await runPolicy(policy, {
    direction: "output",
    segments: [segment],
    parts: new Map(),
    facts: () => undefined,
    context: CONTEXT,
    disabled: new Set(),
    approval: "none",
    fail_mode: "closed",
    createPseudonym,
    waitForTurn: () => new Promise(setImmediate),
    isPartOfLargeBody: false,
    logFailure: () => {},
    isExempt,
  });
  return {
    status: outcome.status,
    findings: outcome.findings,
    text: outcome.changes[0]?.text ?? text,
  };
}

/** Deterministic, so that a failure can be repeated. */
function createRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    below: (limit: number) => Math.floor(next() * limit),
    pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item,
  };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const KEY_BEGIN = "-----BEGIN RSA PRIVATE KEY-----";
const KEY_LINE = `${"MIIEowIBAAKCAQEAx7".repeat(3)}abcdefghij`;
const KEY_END = "-----END RSA PRIVATE KEY-----";
const PRIVATE_KEY = [KEY_BEGIN, ...Array(4).fill(KEY_LINE), KEY_END].join("\n");

/** Values that detectors match, fragments of them, and text that looks similar. */
const PIECES = [
  ..."the a is my card number and was account token password secret key for in 2024 (SSN) SSN phone call me at".split(
    " ",
  ),
  "4111 1111 1111 1111",
  "4111-1111-1111-1111",
  "4111111111111111",
  "4111 1111 1111",
  "5500005555555559",
  "1234 5678",
  "ana@example.com",
  "ana.maria",
  "@example.com",
  "john+x@sub.example.co.uk",
  "user@",
  "git@github.com:x/y",
  "+34 600 11 22 33",
  "(555) 123-4567",
  "555-123-4567",
  "+1 (212) 555-0123 ext 12",
  "x12",
  "0171 2345678",
  "600 112 233",
  "078-05-1120",
  "078 05 1120",
  "ES91 2100 0418 4502 0005 1332",
  "DE89370400440532013000",
  "GB29 NWBK 6016 1331 9268 19",
  "DE89",
  "192.168.10.20",
  "fe80::1",
  "2001:db8::8a2e:370:7334",
  "12/05/1990",
  "date of birth",
  "born 12 05 1990",
  "sk-proj-abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGH",
  "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  "AKIAIOSFODNN7EXAMPLF",
  "password: hunter2Xyz9",
  'password = "S3cr3t!pass99"',
  "the password is Tr0ub4dor&3",
  "api_key=abcd1234efgh5678ijkl",
  "Bearer abcdef1234567890ABCDEF",
  "SSWS 00abcdefghijklmnopqrstuvwxyz0123456789ABCDEF",
  "postgres://user:pa55word@db.example.com/x",
  "our Datadog key 7c1e94a0d3b86f5291e7c04bd8a35f62",
  "Mixpanel API token for the",
  "kD7mQx2VbT9zRfL4wHs8JpN3",
  "<key>ShodanInput</key>\n  <string>kD7mQx2VbT9zRfL4wHs8JpN3</string>",
  "Server=db;Database=crm;Uid=sa;",
  "Pwd=Sup3r!;",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
  PRIVATE_KEY,
  `> ${PRIVATE_KEY.replaceAll("\n", "\n> ")}`,
  `// ${PRIVATE_KEY.replaceAll("\n", "\n// ")}`,
  "-----BEGIN CERTIFICATE-----",
  "BEGIN one\ntwo\n\nthree END",
  "123 456 789 ".repeat(12),
  "no sun ".repeat(24),
  "-----BEGIN ",
  base64("my card is 4111 1111 1111 1111 thanks"),
  base64("write to ana@example.com soon please"),
  "aGVsbG8gd29ybGQgdGhpcyBpcw==",
  "ana%40example.com",
  "ana&#64;example.com",
  "ana\\u0040example.com",
  "4111%201111%201111%201111",
  "&#52;111 1111 1111 1111",
  "\\u0034111 1111 1111 1111",
  "\\nana@example.com",
  "project falcon",
  "project",
  "falcon",
  "acme",
  "PROJ-1234 alpha",
  "PROJ-12",
  "PROJ-12345 al",
  "foo",
  "bar",
  "account number of the owner is in the vault",
  "account number of the owner was in a vault of project falcon, which opens at noon",
  "vault of project falcon, which opens at noon for members only",
  "for members only, and the token",
  "密码在金库里不要告诉任何人知道这件事",
  "c a n a r y - 4 7 1 1",
  "canary",
  "47-11",
  "1174-yranac",
  base64("which opens at noon for members only, and the token of the day"),
  "vault%20of%20project%20falcon%2C%20which%20opens%20at%20noon%20for%20members%20only",
  "pr0ject f4lcon",
  "projet falcon",
  "p r o j e c t   f a l c o n",
  "p.r.o.j.e.c.t f.a.l.c.o.n",
  "p r o",
  "j e c",
  "a . b",
  "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
  "4111\x021111 1111\x02 1111",
  "proj\x02ect\u200bfalcon",
  "p\x02 r\x02 o\x02 j\x02 e\x02 c\x02 t f a l c o n",
  "раураl",
  "сосо",
  "привет мир",
  "密码：abc12345",
  "你好世界，",
  "张三@例子.中国",
  "４１１１ １１１１ １１１１ １１１１",
  "pass\u200bword",
  "\u202eabc\u202c",
  "\u{1f600}",
  "Anna Kovač",
  "Dr. Martin O'",
  "Brien",
  "Bank of",
  "America",
  "12 Oak Street, Boise, ID",
  "83702",
  "van der",
  "J.",
  "Johnson &",
  "lives in London",
  "Ltd.",
  "NEW YORK CITY COUNCIL AND THE POLICE",
  "maria lopez",
  "<EMAIL_abcdefgh>",
  "<EMAIL_",
  '<a href="https://bank.example@evil.example/x">click</a>',
  "[text](https://evil.example)",
  "https://bank.example@evil.example",
  "http://10.0.0.1/x",
  "[",
  "{",
  "}",
  "]",
  '{"a": "ana@example.com", "n": 4111111111111111}',
  "name,ssn,order_id\nana,078051120,4111111111111111\nbob,078051121,4012888888881881\n",
  "| Name | Passport | Phone |\n|---|---|---|\n| Ana | X1234567 | 4155552671 |\n",
  "id\tphone\n",
  "1\t4155552671\n2\t4155552672\n",
  "order_id;part\n4111111111111111;415-555-2671\n",
  "Phone numbers:\n4155552671\n4155552672\n",
  "4111111111111111\n4111111111111112\n",
  "415-555-2671\n",
  "2024-05-20T10:30:45.123456Z",
  "550e8400-e29b-41d4-a716-446655440000",
  "part no.",
  "born on",
  "March 3, 1984",
  "3 de marzo de 1984",
  "3rd of March, 1984",
  "AB 12 34 56 C",
  "national insurance",
  "752 297 0350",
  "belongs to her NHS record",
  "1578346854",
  "NPI",
  "MRN-00482913",
  "MRN",
  "65 180539 W 648",
  "756.8879.4743.51",
  "license plate KA 01 AB 1234",
  ":",
  ",",
  ".",
  "-",
  "(",
  ")",
  '"',
  "=",
];
const JOINTS = [" ", " ", " ", " ", "\n", "", ", ", ". ", ": ", "\n\n", "-", "\t"];

const ALL: Rules = [
  { kind: "data_loss_prevention", action: "transform", settings: { apply_all: true } },
  { kind: "secrets", action: "transform" },
  {
    kind: "prompt_moderation",
    action: "transform",
    settings: {
      keywords: ["project falcon", "acme"],
      regex: ["PROJ-\\d{3,5}( alpha)?\\b", "foo.*bar"],
      similarity_threshold: 0.85,
    },
  },
  { kind: "unicode", action: "transform", settings: { threshold: 0.5 } },
  { kind: "url_analyzer", action: "transform", settings: { threshold: 0.4 } },
  { kind: "restore_masks", action: "transform" },
];
const CUSTOM: Rules = [
  {
    kind: "data_loss_prevention",
    action: "transform",
    settings: {
      rules: [
        { name: "project", type: "keyword", pattern: "project falcon" },
        { name: "ticket", type: "regex", pattern: "PROJ-\\d{3,5}( alpha)?" },
      ],
      reversible: true,
    },
  },
];
const LEAKS: Rules = [
  {
    kind: "system_prompt_leak",
    action: "transform",
    settings: { level: "strict", canaries: ["canary-4711"], allow_list: ["for members only"] },
  },
  { kind: "data_loss_prevention", action: "transform" },
];
const NAMES: Rules = [
  {
    kind: "data_loss_prevention",
    action: "transform",
    settings: {
      predefined_entities: [
        { entity: "person_name" },
        { entity: "location" },
        { entity: "organization" },
        { entity: "email" },
      ],
    },
  },
];
const BLOCKING: Rules = [
  { kind: "prompt_moderation", action: "block", settings: { keywords: ["project falcon"] } },
  { kind: "data_loss_prevention", action: "transform" },
  { kind: "secrets", action: "block" },
  { kind: "system_prompt_leak", action: "block" },
];

/** With a threshold at which ordinary text is blocked now and then. */
const SCORING: Rules = [
  { kind: "toxicity", action: "block", settings: { threshold: 0.05 } },
  { kind: "data_loss_prevention", action: "transform" },
];

/** Matches of several lines, and matches in a row, with a detector that holds other text than they do. */
const LINES: Rules = [
  { kind: "toxicity", action: "block", settings: { threshold: 0.05 } },
  { kind: "secrets", action: "transform" },
  {
    kind: "prompt_moderation",
    action: "transform",
    settings: { regex: ["BEGIN[\\s\\S]{0,300}?END", "\\d{3} \\d{3}"] },
  },
  {
    kind: "data_loss_prevention",
    action: "transform",
    settings: { rules: [{ name: "row", type: "keyword", pattern: "no sun no" }] },
  },
];

/** Matches in a row, of which one ends where the next begins, and values that are allowed among them. */
const ROWS: Rules = [
  {
    kind: "data_loss_prevention",
    action: "transform",
    settings: {
      predefined_entities: [{ entity: "email" }, { entity: "credit_card" }],
      rules: [
        { name: "pair", type: "regex", pattern: "\\d{3} \\d{3}" },
        { name: "row", type: "keyword", pattern: "no sun no" },
        { name: "sun", type: "regex", pattern: "sun\\W+no\\W+sun" },
      ],
      allow_list: ["111 222", "333 111", "no sun no", "bob@example.com", "4111 1111 1111 1111"],
    },
  },
  {
    kind: "secrets",
    action: "transform",
    settings: { allow_list: ["ghp_abcdefghijklmnopqrstuvwxyz0123456789"] },
  },
  {
    kind: "prompt_moderation",
    action: "transform",
    settings: { keywords: ["sun no", "acme"], regex: ["222 333 \\d", "a.b a"] },
  },
];

const ROUNDS = Number(process.env.STREAM_FUZZ_ROUNDS ?? 20);
const SEED = Number(process.env.STREAM_FUZZ_SEED ?? 0);

function createText(random: ReturnType<typeof createRandom>): string {
  if (random.below(8) === 0) return createJson(random);
  const count = 1 + random.below(14);
  let text = random.below(12) === 0 ? "{" : "";
  for (let index = 0; index < count; index++) text += random.pick(PIECES) + random.pick(JOINTS);
  // Long enough, sometimes, that the stream drops its context.
  if (random.below(16) === 0) text += createLongTable(random);
  return random.below(10) === 0 ? "lorem ipsum dolor ".repeat(80) + text : text;
}

function createJson(random: ReturnType<typeof createRandom>): string {
  const createValue = () => (random.below(3) === 0 ? random.pick(NUMBERS) : random.pick(PIECES));
  const members = Array.from({ length: 1 + random.below(10) }, (_, index) => [
    random.pick(["note", "card", "phone", "ssn", "id", `m${index}`]),
    createValue(),
  ]);
  return JSON.stringify(Object.fromEntries(members), null, random.pick([0, 1, 2]));
}

const NUMBERS = [4111111111111111, -4111111111111111, 4155552671, -78051120, 12, -0.5, 1e21];

function createLongTable(random: ReturnType<typeof createRandom>): string {
  const delimiter = random.pick([",", "\t", " | "]);
  const columns = Array.from({ length: 1 + random.below(6) }, () => random.pick(COLUMNS));
  const rows = Array.from({ length: 8 + random.below(16) }, () =>
    columns.map(([, values]) => random.pick(values)).join(delimiter),
  );
  return `\n${[columns.map(([name]) => name).join(delimiter), ...rows].join("\n")}\n`;
}

const COLUMNS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ["Customer name", ["Ana Maria Lopez", "Bob", '"Doe, Jane"']],
  ["ssn", ["078051120", "078-05-1121"]],
  ["Passport", ["X1234567", "512345678"]],
  ["phone", ["4155552671", "415-555-2671", "115-555-2671"]],
  ["order_id", ["4111111111111111", "4111111111111112", "415-555-2671"]],
  [
    "note",
    ["4111111111111111", "ana@example.com", "415-555-2671", "lorem ipsum dolor sit amet", ""],
  ],
];

/** Rows long enough that the stream drops its context inside of them, with escapes at random distances. */
function createRows(random: ReturnType<typeof createRandom>): string {
  let text = "";
  for (let count = 1 + random.below(4); count > 0; count--) {
    const units = random.pick(ROW_UNITS);
    const isRandom = random.below(2) === 0;
    const end = text.length + random.pick([20, 100, 500, 800]);
    for (let index = 0; text.length < end; index++) {
      text += `${isRandom ? random.pick(units) : units[index % units.length]} `;
    }
    text += "x".repeat(random.below(6));
    text += random.pick([" ", "\n", "", " and some words "]);
    if (random.below(3) > 0) text += random.pick(ESCAPED) + random.pick([" ", "\n", ""]);
  }
  return text;
}

const ROW_UNITS: readonly (readonly string[])[] = [
  ["111", "222", "333"],
  ["111", "222", "333", "444", "555", "666", "777", "888", "999", "and some words"],
  ["no", "sun"],
  ["no", "sun", "no", "sun", "acme"],
  ["no", "s u n", "n o s u n", "n.o.s.u.n"],
  ["a.b", "a b", "a"],
  ["ana@example.com", "bob@example.com"],
  ["4111 1111 1111 1111,", "4012 8888 8888 1881,", "111"],
  ["ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_zyxwvutsrqponmlkjihgfedcba0123456789"],
];
const ESCAPED = [
  "then ana%40example.com end",
  "bob&#64;example.com",
  "ana\\u0040example.com",
  "%31%31%31 222",
  "1&#49;1 222 333",
  "\\u0033\\x33\\u{33} 111",
  "no%20sun%20no",
  "s&#117;n no sun",
  "4111%201111%201111%201111",
  "&amp;",
  "100%25",
  "\\n",
];

function split(
  text: string,
  random: ReturnType<typeof createRandom>,
  sizes: readonly number[] = [1, 1, 4, 9, 40, 400],
): string[] {
  const largest = random.pick(sizes);
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + random.below(largest);
    parts.push(text.slice(at, at + length));
    at += length;
  }
  return parts;
}

for (const [name, rules] of Object.entries({
  "all detectors": ALL,
  "custom rules": CUSTOM,
  leaks: LEAKS,
  names: NAMES,
  rows: ROWS,
})) {
  test(`random parts are masked as the whole text is: ${name}`, async () => {
    const policy = compile(rules);
    const random = createRandom(SEED + name.length);
    for (let round = 0; round < ROUNDS; round++) {
      const isRow = rules === ROWS;
      const text = isRow ? createRows(random) : createText(random);
      const whole = await evaluateWhole(policy, text);
      // Rows are long: parts of one character would take seconds.
      const parts = isRow ? split(text, random, [20, 80, 400]) : split(text, random);
      const { text: streamed } = await stream(policy, parts);
      if (streamed !== whole.text) throw new Error(describeDifference(parts, streamed, whole.text));
    }
  });
}

test("random parts with exempt matches are masked as the whole text is", async () => {
  const policy = compile(ALL);
  const isExempt: ExemptionCheck = (_, { at }) => at !== undefined && (at.end - at.start) % 2 === 0;
  const random = createRandom(SEED + 7);
  let exempted = 0;
  for (let round = 0; round < ROUNDS / 2; round++) {
    const text = createText(random);
    const whole = await evaluateWhole(policy, text, isExempt);
    if (whole.text !== (await evaluateWhole(policy, text)).text) exempted++;
    const parts = split(text, random);
    const { text: streamed } = await stream(policy, parts, isExempt);
    if (streamed !== whole.text) throw new Error(describeDifference(parts, streamed, whole.text));
  }
  expect(exempted).toBeGreaterThan(ROUNDS / 10);
});

test.each([
  ["pattern detectors", BLOCKING],
  ["a learned detector", SCORING],
  ["a learned detector and matches of several lines", LINES],
])(
  "random parts are blocked before the same match, and nothing of it is sent: %s",
  async (_, rules) => {
    const policy = compile(rules);
    const masking = compile(rules.filter(({ action }) => action === "transform"));
    const random = createRandom(SEED + 99);
    let blocks = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const text = createText(random);
      const whole = await evaluateWhole(policy, text);
      const streamed = await stream(policy, split(text, random));
      expect(streamed.blocked).toBe(whole.status === "block");
      expect(streamed).toEqual(await stream(policy, [text]));
      if (streamed.blocked) blocks++;
      else expect(streamed.text).toBe((await evaluateWhole(masking, text)).text);
    }
    expect(blocks).toBeGreaterThan(ROUNDS / 20);
  },
);

function describeDifference(parts: readonly string[], streamed: string, whole: string): string {
  return `Different masks.\nparts:    ${JSON.stringify(parts)}\nstreamed: ${JSON.stringify(streamed)}\nwhole:    ${JSON.stringify(whole)}`;
}

test.each(["\x02", "\0", "\x7f", "\u200b", "\x02\u200b"])(
  "nothing of a card or a word with %j inside of it is sent, in parts of one character",
  async (gap) => {
    const policy = compile(BLOCKING);
    const card = ["4111", "1111", "1111", "1111"].join(gap);

    const { text } = await stream(policy, Array.from(`pay ${card} now and then`));
    const word = await stream(policy, Array.from(`see proj${gap}ect falcon now`));

    expect(text).toBe("pay [MASKED_CC] now and then");
    expect(word).toEqual({ text: "see ", blocked: true });
  },
);

test.each([
  "my card 4111 1111\n1111 1111 now",
  "pay with 4111-1111-1111-\r\n1111\r\nnow",
  "pay with 4111\n 1111 1111 1111",
  "my card:\n> 4111 1111 \n> 1111 1111\n> now",
  "Sales 4111 1111\r\n1111 1111 \r\n 2019 2020",
])("%j is masked as the whole text is, wherever it is split", async (text) => {
  const policy = compile([{ kind: "data_loss_prevention", action: "transform" }]);
  const whole = (await evaluateWhole(policy, text)).text;

  for (let at = 1; at < text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    for (const parts of [
      [before, after],
      [...before, after],
    ])
      expect(await stream(policy, parts)).toEqual({ text: whole, blocked: false });
  }
});

test.each([
  "",
  "> ",
  ">",
  "// ",
  "--",
  "\t* ",
  "+",
  "+    ",
  "+# ",
  "| ",
  "REM ",
  "  12\t+ ",
  "key.pem-12-",
  "web-1  | ",
])(
  "a private key in lines with the prefix %j is masked as the whole text is, wherever it is split",
  async (prefix) => {
    const policy = compile([{ kind: "secrets", action: "transform" }]);
    const key = [KEY_BEGIN, "Version: 1", "", KEY_LINE, KEY_LINE, "=abc", KEY_END];
    const text = ["See:", ...key, "Regards."].join(`\n${prefix}`);
    const whole = (await evaluateWhole(policy, text)).text;
    expect(whole).not.toContain(KEY_LINE);

    for (let at = 1; at < text.length; at++) {
      const parts = [text.slice(0, at), text.slice(at)];
      expect(await stream(policy, parts)).toEqual({ text: whole, blocked: false });
    }
  },
);

test("long JSON in short parts is masked as the whole text is", async () => {
  const policy = compile([{ kind: "data_loss_prevention", action: "transform" }]);
  const text = JSON.stringify({ note: "lorem ipsum ".repeat(20_000), card: "4111 1111 1111 1111" });
  const parts = text.match(/.{1,4}/gs) ?? [];

  const { text: masked } = await stream(policy, parts);

  expect(masked).toBe((await evaluateWhole(policy, text)).text);
  expect(masked).not.toContain("1111");
});
