import { expect, test } from "bun:test";
import { showControls } from "./show-controls.ts";

test("characters that reorder or hide text are escaped, and no others", () => {
  expect(showControls("to \u202eecila\u202c\u2066\u0000\u001b[8m")).toBe(
    "to \\u202eecila\\u202c\\u2066\\u0000\\u001b[8m",
  );
  expect(showControls("a\u200b\u00ad\ufeff\u{e0041}\u{e0101}")).toBe(
    "a\\u200b\\u00ad\\ufeff\\u{e0041}\\u{e0101}",
  );
  const plain = "a\tb\nשלום é 👩‍👩‍👧 می‌خواهم";
  expect(showControls(plain)).toBe(plain);
});
