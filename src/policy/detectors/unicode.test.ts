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

/** Returns the text after Transform. */
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
])("scripts, emoji and typography are not reported: %p", (text) => {
  expect(find(text)).toEqual([]);
});

test("the end of an override is removed with it, and line breaks are kept", () => {
  expect(masked("a\u202eevil\u202c\nb")).toBe("aevil\nb");
});

test("only the configured kinds are detected", () => {
  const text = `ig\u200bnore pаypal`;

  expect(find(text, { kinds: ["lookalike_word"] })).toMatchObject([{ label: "lookalike_word" }]);
});

/** Adversarial texts. */
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

test.each(ADVERSARIAL)("%p repeated is inspected in linear time", async (piece) => {
  const make = (length: number) => piece.repeat(length / piece.length);

  await expectLinear(find, make);
});
