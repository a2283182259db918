import { expect, test } from "bun:test";
import type { InspectionContext, Match } from "../detector.ts";
import { applyMasks } from "../masking/apply-masks.ts";
import { createSegment } from "../segment.ts";
import { secrets } from "./secrets.ts";

/** Built at run time, so that this file contains no key. */
const HEX = "7c1e94a0d3b86f52";
const STRIPE = `sk_live_${HEX}${HEX}`;
const LINE = "MIIEowIBAAKCAQEAx7".repeat(3);
const KEY = ["-----BEGIN PRIVATE KEY-----", LINE, LINE, "-----END PRIVATE KEY-----"];

function inspect(settings: object, text: string): readonly Match[] {
  const inspectTexts = secrets.prepare(settings);
  return inspectTexts(
    [createSegment(text, "user", { pointer: "/input" })],
    {} as InspectionContext,
  ) as readonly Match[];
}
const masked = (settings: object, text: string) =>
  applyMasks(inspect(settings, text), (label) => `<${label}>`)[0]?.text ?? text;

test.each([
  ["by the name of its format", {}, "[MASKED_STRIPE_SECRET_KEY]"],
  ["by a custom text", { mask_with: "***" }, "***"],
  ["at its length", { preserve_len: true }, "*".repeat(STRIPE.length)],
  ["at its length by #", { preserve_len: true, mask_with: "#" }, "#".repeat(STRIPE.length)],
  ["by a pseudonym", { reversible: true }, "<STRIPE_SECRET_KEY>"],
])("a secret is masked %s", (_, settings, mask) => {
  expect(masked(settings, `use ${STRIPE}.`)).toBe(`use ${mask}.`);
});

test("a masked private key keeps its number of lines", () => {
  expect(masked({}, KEY.join("\n"))).toBe(Array(4).fill("[MASKED_PRIVATE_KEY]").join("\n"));
});

test.each(["  ", "\t"])("a masked private key keeps the indentation %j of its lines", (indent) => {
  const text = KEY.map((line) => `${indent}${line} `).join("\r\n");

  expect(masked({}, text)).toBe(Array(4).fill(`${indent}[MASKED_PRIVATE_KEY] `).join("\r\n"));
});

const PREFIXES = [
  ...["> ", ">> ", ">", "> > ", "# ", "#", "// ", "  * ", "-- ", "- ", ";; ", "> # "],
  ...["| ", "% ", "REM ", ":: ", "+ ", "+    ", "++  ", "+# "],
];

test.each(PREFIXES)("a private key in lines with the prefix %j is masked without it", (prefix) => {
  const [begin = "", ...lines] = KEY;
  const text = ["Mail:", begin, "Proc-Type: 4,ENCRYPTED", "", ...lines, "Regards"];
  const toText = (parts: readonly string[]) =>
    parts.map((line) => (prefix + line).trimEnd()).join("\r\n");

  const mask = "[MASKED_PRIVATE_KEY]";
  expect(masked({}, toText(text))).toBe(
    toText(["Mail:", mask, mask, "", mask, mask, mask, "Regards"]),
  );
});

test.each(["//", "--", "+", "++"])(
  "a line of a private key without a space after %j is masked with it",
  (sign) => {
    const text = KEY.map((line) => sign + line).join("\n");

    expect(masked({}, text)).toBe(`${sign}${Array(4).fill("[MASKED_PRIVATE_KEY]").join("\n")}`);
  },
);

test("a match has the label of the format and never the text", () => {
  const [match] = inspect({}, STRIPE);

  expect(match).toMatchObject({ label: "stripe_secret_key", type: "secret", confidence: 0.95 });
  expect({ ...match, at: undefined }).not.toHaveProperty("detail");
});

test.each([
  ["disabled formats", { disabled_formats: ["stripe_secret_key"] }, STRIPE],
  ["allowed values", { allow_list: [STRIPE] }, STRIPE],
  ["generic secrets if they are disabled", { generic: false }, "password: Xk29dmQ7"],
  ["generic secrets of low entropy", { min_entropy: 3.5 }, "password: Xk29dmQ7"],
])("%s are not reported", (_, settings, text) => {
  expect(inspect({}, text)).not.toEqual([]);
  expect(inspect(settings, text)).toEqual([]);
});

test("preserve_len with a mask of several characters is rejected", () => {
  expect(secrets.settings.safeParse({ preserve_len: true, mask_with: "***" }).success).toBe(false);
});
