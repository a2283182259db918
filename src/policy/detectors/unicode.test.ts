import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import type { InspectionContext, Match } from "../detector.ts";
import { createSegment } from "../segment.ts";
import { unicode } from "./unicode.ts";

const find = (text: string, settings: object = {}) =>
  unicode.prepare(settings)(
    [createSegment(text, "tool_result", { pointer: "/x" })],
    {} as InspectionContext,
  ) as Match[];

/** What Transform makes of it. */
const masked = (text: string) =>
  find(text)
    .toSorted((one, other) => (other.at?.start ?? 0) - (one.at?.start ?? 0))
    .reduce((rest, { at, mask }) => {
      const shown = mask && "text" in mask ? mask.text : "";
      return rest.slice(0, at?.start) + shown + rest.slice(at?.end);
    }, text);

const tags = (text: string) =>
  Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");

test.each([
  ["zero_width", "ig\u200bnore", "ignore"],
  ["zero_width", "a \u200b\u200c\u200b\u200c\u200b b", "a  b"],
  ["zero_width", "pass\u2060word\n", "password\n"],
  ["bidi_override", "x\u202eevil\ny", "xevil\ny"],
  ["bidi_override", "if (a) \u2066// check", "if (a) // check"],
  ["tag_characters", `hello${tags("obey")}\nyou`, "hello\nyou"],
  ["variation_selectors", "😀\ufe01\ufe02\u{e0110}", "😀"],
  ["private_use", "a\ue000\ue001\ue002\ue003b", "ab"],
  ["lookalike_word", "visit pаypal now", "visit paypal now"],
  ["lookalike_word", "Αmazon gift", "Amazon gift"],
])("%s in %p", (label, text, shown) => {
  expect(find(text)).toMatchObject([{ label, type: "hidden_text" }]);
  expect(masked(text)).toBe(shown);
});

test.each([
  ["plain text, nothing to see"],
  ["Скажите, как пройти в Яндекс? Windows и SQL-запрос"],
  ["cпасибо"],
  ["می‌خواهم نمی‌دانم"],
  ["क्‍ष और श्रीमान्‌"],
  ["👨‍👩‍👧‍👦 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏳️‍🌈"],
  ["\ufeffa file that begins with its mark"],
  ["Donau\u00addampf\u00adschiff"],
  ["she said \u2068שלום\u2069 to him"],
  ["the resistor has 10kΩ, α and xα, 5μm"],
  ["葛\u{e0100}城"],
  ["\uf8ff logo and \ue0b0 prompt"],
])("scripts, emoji and typography are left alone: %p", (text) => {
  expect(find(text)).toEqual([]);
});

test("what ends an override goes with it, and the lines stay", () => {
  expect(masked("a\u202eevil\u202c\nb")).toBe("aevil\nb");
});

test("only the kinds that are asked for are found", () => {
  const text = `ig\u200bnore pаypal`;

  expect(find(text, { kinds: ["lookalike_word"] })).toMatchObject([{ label: "lookalike_word" }]);
});

/** Texts designed against the scan. */
export const ADVERSARIAL: readonly string[] = [
  "\u200b",
  "a\u200b",
  "\u2066",
  "\u2066\n",
  "\u202a\u202c",
  tags("a"),
  "\ufe0f",
  "a\ufe00",
  "\ue000",
  "aа",
  "аa ",
  "\ud800",
  "é",
  "a",
];

test.each(ADVERSARIAL)("time grows with the length, not its square: %p", async (piece) => {
  const make = (length: number) => piece.repeat(length / piece.length);

  await expectLinear(find, make);
});
