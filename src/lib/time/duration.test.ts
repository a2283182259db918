import { expect, test } from "bun:test";
import { parseDuration } from "./duration.ts";

test.each([
  ["30s", 30],
  ["1m", 60],
  ["2h", 7_200],
  ["1d", 86_400],
  ["1h30m", 5_400],
  ["1d2h3m4s", 93_784],
  ["0s", 0],
  ["090s", 90],
])("%s is %i seconds", (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each([
  "",
  "abc",
  "1w",
  "10",
  "s",
  "1.5h",
  "-1m",
  "+1m",
  "1 m",
  " 1m",
  "1m ",
  "1m\n",
  "1M",
  "1ms",
  "30m1h",
  "1m1m",
  "1h30",
  "٣s",
  "1e3s",
  "1234567890s",
])("%j is not a duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
