import { expect, test } from "bun:test";
import { createGrowingText } from "./growing-text.ts";

test("parts are joined in order, however often the text is read", () => {
  for (const readEvery of [1, 7, 5000]) {
    const text = createGrowingText();
    let expected = "";
    for (let at = 0; at < 3000; at++) {
      text.add(`${at},`);
      expected += `${at},`;
      if (at % readEvery === 0) expect(text.read()).toBe(expected);
    }
    expect(text.read()).toBe(expected);
  }
});
