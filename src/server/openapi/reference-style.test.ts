/** Checks the contrast of text and background on the reference page, in both themes. */
import { expect, test } from "bun:test";
import { METHODS } from "./openapi.ts";
import { COLORS } from "./reference-style.ts";

test.each(pairs())("%s: %s on %s can be read", (theme, text, ground) => {
  const colors = COLORS[theme];

  expect(contrast(colors[text], colors[ground])).toBeGreaterThanOrEqual(4.5);
});

/** Every text color with every background. */
function pairs() {
  const texts = ["text", "muted", "accent", ...METHODS] as const;
  return (["light", "dark"] as const).flatMap((theme) =>
    (["ground", "panel"] as const).flatMap((ground) =>
      texts.map((text) => [theme, text, ground] as const),
    ),
  );
}

/** WCAG 2: relative luminance of the lighter over that of the darker. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
