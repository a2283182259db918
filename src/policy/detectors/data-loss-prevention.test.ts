import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import type { InspectionContext, Match } from "../detector.ts";
import { applyMasks } from "../masking/apply-masks.ts";
import { createSegment } from "../segment.ts";
import { dataLossPrevention } from "./data-loss-prevention.ts";

const find = (text: string, settings: object = {}) =>
  dataLossPrevention.prepare(settings)(
    [createSegment(text, "user", { pointer: "/input" })],
    {} as InspectionContext,
  ) as Match[];
const labels = (text: string, settings?: object) => find(text, settings).map(({ label }) => label);
const masked = (text: string, settings?: object) =>
  applyMasks(find(text, settings), (label) => `<${label}>`)[0]?.text ?? text;
const findIssues = (settings: object) =>
  dataLossPrevention.settings.safeParse(settings).error?.issues.map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));

const CARD = "4111 1111 1111 1111";
const UUID = "550e8400-e29b-41d4-a716-446655440000";

test("others run while a long text is read, which is masked as if it were read at once", async () => {
  const text = `${"::1\t0 some words of a message. ".repeat(4000)}card ${CARD}`;
  let pauses = 0;
  const found = await dataLossPrevention.prepare({})(
    [createSegment(text, "user", { pointer: "/input" })],
    {
      waitForTurn: async () => {
        pauses += 1;
      },
    } as Partial<InspectionContext> as InspectionContext,
  );

  expect(pauses).toBeGreaterThan(5);
  expect(found.map(({ label }) => label)).toEqual(["credit_card"]);
  expect(applyMasks(found, (label) => `<${label}>`)[0]?.text).toBe(masked(text));
});

test("every entity has its own default mask", () => {
  const text = `${CARD}, CVV 123, jane@example.com, 123-45-6789, passport X1234567, BIC DEUTDEFF`;

  expect(masked(text)).toBe(
    "[MASKED_CC], CVV [MASKED_CVV], [MASKED_EMAIL], [MASKED_SSN], passport [MASKED_PASSPORT], BIC [MASKED_BIC]",
  );
});

test("credentials have the signal secret, all other entities pii", () => {
  const types = find("password: hunter2x jane@example.com").map(({ type }) => type);

  expect(types).toEqual(["secret", "pii"]);
});

test.each([
  ["no selection: all but those common in technical text", {}, ["email"]],
  ["apply_all true: every entity", { apply_all: true }, ["email", "uuid"]],
  ["apply_all false: none", { apply_all: false }, []],
  ["some enabled: only those", { predefined_entities: [{ entity: "uuid" }] }, ["uuid"]],
  [
    "some disabled: the default entities without them",
    { predefined_entities: [{ entity: "email", enabled: false }] },
    [],
  ],
  [
    "apply_all with some disabled",
    { apply_all: true, predefined_entities: [{ entity: "email", enabled: false }] },
    ["uuid"],
  ],
  [
    "custom rules are added",
    { rules: [{ name: "project", type: "keyword", pattern: "bluebird" }] },
    ["email", "project"],
  ],
])("entities: %s", (_, settings, expected) => {
  expect(labels(`jane@example.com about Bluebird ${UUID}`, settings)).toEqual(expected);
});

test.each([
  [{ entity: "email", mask_with: "<mail>" }, "to <mail>."],
  [{ entity: "email", preserve_len: true }, "to ******."],
  [{ entity: "email", mask_with: "x", preserve_len: true }, "to xxxxxx."],
])("a custom mask: %p", (entity, expected) => {
  expect(masked("to a@b.co.", { predefined_entities: [entity] })).toBe(expected);
});

test("a reversible mask is a pseudonym of the session with the label of the entity", () => {
  const rules = [{ name: "code name", type: "keyword", pattern: "bluebird" }];

  expect(masked(`card ${CARD} for bluebird`, { reversible: true, rules })).toBe(
    "card <CC> for <CODE_NAME>",
  );
});

test("a number that only passes a check is found at a lower min_confidence", () => {
  expect(labels("52998224725")).toEqual([]);
  expect(labels("52998224725", { min_confidence: 0.3 })).toEqual(["brazilian_cpf"]);
});

test("neither an allowed value nor a part of it is reported, ignoring case", () => {
  const allow_list = ["Support@Example.com", "+34 612 345 678"];

  expect(labels("support@example.com, phone +34 612 345 678", { allow_list })).toEqual([]);
  expect(labels("sales@example.com", { allow_list })).toEqual(["email"]);
});

test.each([
  [
    "keyword",
    "Blue Bird",
    "the BLUE BIRD plan, not bluebirds or xblue birds",
    "the *** plan, not bluebirds or xblue birds",
  ],
  ["keyword", "bluebird", "blue\u200bbird", "***"],
  ["keyword", "no sun no", "casino sun no sun no", "casino sun ***"],
  ["keyword", "蓝鸟", "关于蓝鸟计划", "关于***计划"],
  ["keyword", "bluebird", `see ${btoa("our bluebird plan")}.`, "see ***."],
  ["regex", "EMP-\\d{5}", `see ${btoa("badge EMP-12345")}, E%4DP-12345.`, "see ***, ***."],
  ["regex", "EMP-\\d{5}", "EMP-12345 and EMP-123", "*** and EMP-123"],
  ["regex", "EMP-\\d{5}", "ＥＭＰ-1\u200b2345", "***"],
  ["regex", "№ ?\\d+", "№ 7 and no 8", "*** and no 8"],
  ["regex", "BEGIN[^;]*;", "a BEGIN x\ny; b", "a ***\n*** b"],
])("a %s rule for %p", (type, pattern, text, expected) => {
  expect(masked(text, { apply_all: false, rules: [{ name: "own", type, pattern }] })).toBe(
    expected,
  );
});

test("the longer of two overlapping matches wins", () => {
  const rules = [
    { name: "short", type: "regex", pattern: "1111 1111" },
    { name: "long", type: "regex", pattern: "card [0-9 ]+" },
  ];

  expect(labels(`card ${CARD}`, { rules })).toEqual(["long"]);
  expect(labels(`card ${CARD}`, { rules: rules.slice(0, 1) })).toEqual(["credit_card"]);
});

test.each([
  [
    "a pattern the linear engine cannot run",
    { pattern: "(a)\\1", type: "regex" },
    "rules.0.pattern",
  ],
  ["an invalid pattern", { pattern: "(", type: "regex" }, "rules.0.pattern"],
  ["an invisible keyword", { pattern: " \u200b", type: "keyword" }, "rules.0.pattern"],
  ["a keyword with a line break", { pattern: "a\nb", type: "keyword" }, "rules.0.pattern"],
  [
    "a mask with a line break",
    { pattern: "a", type: "keyword", mask_with: "*\n" },
    "rules.0.mask_with",
  ],
  [
    "a mask of several characters with preserve_len",
    { pattern: "a", type: "keyword", mask_with: "**", preserve_len: true },
    "rules.0.mask_with",
  ],
])("rejected on save: %s", (_, rule, path) => {
  expect(findIssues({ rules: [{ name: "own", ...rule }] })).toMatchObject([{ path }]);
});

test("the part of a match outside a longer one is masked as well", () => {
  const rules = ["blue foxes", "foxes jump"].map((pattern) => ({
    name: pattern,
    type: "keyword",
    pattern,
  }));

  expect(masked("The blue foxes jump.", { rules })).toBe("The ******.");
});

test.each([
  ["percent", "to=jane%40example.com&x=1", "to=[MASKED_EMAIL]&x=1"],
  ["base64", `read ${btoa("Mail to jane@example.com.")}`, "read [MASKED_EMAIL]"],
  ["beside an escape", String.raw`\njane@example.com %41`, String.raw`\n[MASKED_EMAIL] %41`],
])("encoded text is masked at its location: %s", (_, text, expected) => {
  expect(masked(text)).toBe(expected);
});

test("repeated matches in base64 are found in linear time", async () => {
  const rules = [{ name: "own", type: "regex", pattern: "AB" }];
  const run = (text: string) => find(text, { apply_all: false, rules });

  await expectLinear(run, (length) => "QUJD".repeat(length / 4));
});

test("many addresses in base64 are found in linear time", async () => {
  await expectLinear(find, (length) => btoa("ana@example.com, ".repeat(length / 24)));
});

test("masking base64 keeps the number of lines", () => {
  const lines = btoa("Write to jane@example.com. ".repeat(5)).match(/.{1,76}/g) ?? [];

  expect(masked(lines.join("\n"))).toBe(lines.map(() => "[MASKED_EMAIL]").join("\n"));
});

test("masks neither add nor remove lines", () => {
  const text = `card\n${CARD}\npassword:\nhunter2x\r\n123-45-\n6789\u2028jane@\nexample.com`;
  const lines = (of: string) => of.split(/\r\n|[\n\u2028]/).length;

  expect(lines(masked(text, { min_confidence: 0 }))).toBe(lines(text));
});

test("a match does not contain the matched value", () => {
  const [match] = find(`pay ${CARD}`);

  expect(JSON.stringify({ ...match, at: undefined })).not.toContain("4111");
});

/** Adversarial texts: near misses, repeated. */
export const ADVERSARIAL: readonly string[] = [
  "1",
  "1 ",
  "12-",
  "1.",
  "+1",
  "+34 612 345 67 ",
  "+99 612 345 678 ",
  "415-555-267 ",
  "(",
  "(1",
  "0650 995 ",
  "4111 1111 1111 111",
  "4 1 1 1 ",
  "ES91 2100 ",
  "ES91210004184502000513 ",
  "550e8400-e29b-41d4-a716-",
  "a:",
  "00:1A:",
  "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3 ",
  "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp ",
  "ABCDEFGH ",
  "@",
  "a@",
  "a@b.",
  "a.@b.co",
  "eyJ",
  "eyJ.",
  "eyJhbGciOiJIUzI1NiJ9.",
  "://",
  "://a:",
  "password: ",
  'password="',
  "pw='a",
  "--password ",
  "bearer ",
  "api_key=a1",
  "sk-",
  "sk-ant-a",
  "AIza",
  "passport account phone dni ",
  "phone 123456 ",
  "account dni cédula passport 12345678 ",
  "born 1/",
  "driver's license ",
  "ssn,a\n1,2\n",
  "4111111111111111\n",
  "NPI patientId 1234567893 ",
  "密码",
  "４",
  "٤",
  "4\u200b",
  "é",
  "x",
  " ",
  "\n",
];

test.each(ADVERSARIAL)("%p repeated is inspected in linear time", async (unit) => {
  const settings = { apply_all: true, min_confidence: 0 };
  const inspect = dataLossPrevention.prepare(settings);

  await expectLinear(
    (text) =>
      inspect([createSegment(text, "user", { pointer: "/input" })], {} as InspectionContext),
    (length) => unit.repeat(length / unit.length),
  );
});
