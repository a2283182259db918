import { expect, test } from "bun:test";
import { showControls } from "./show-controls.ts";

test("characters that reorder or hide text are escaped, and no others", () => {
  expect(showControls("to \u202eecila\u202c\u2066\u0000\u001b[8m")).toBe(
    "to \\u202eecila\\u202c\\u2066\\u0000\\u001b[8m",
  );
  expect(showControls("a\u200b\u00ad\ufeff\u{e0041}\u{e0101}")).toBe(
    "a\\u200b\\u00ad\\ufeff\\u{e0041}\\u{e0101}",
  );
  expect(
    showControls("p\u200day\u200c\ufe01 5\ufe0f0 \u3164\u2800\u034f\ud800 ش\u200c 😀\ufe00\ufe01"),
  ).toBe(
    "p\\u200day\\u200c\\ufe01 5\\ufe0f0 \\u3164\\u2800\\u034f\\ud800 ش\\u200c 😀\\ufe00\\ufe01",
  );
  const plain = "a\tb\nשלום é 👩‍👩‍👧 می‌خواهم क्‍ष 👁️‍🗨️ 👩🏽‍🚀 1️⃣ ❤️ 🇩🇪 ᠠ᠋";
  expect(showControls(plain)).toBe(plain);
});
