import { expect, test } from "bun:test";
import { expectLinear } from "../../test/kit/expect-linear.ts";
import { redact, redactText } from "./redact.ts";

const KEY = `ag_${"a1B2".repeat(10)}`;

test.each([
  [`key ${KEY} refused`],
  ["Authorization: Bearer eyJhbGciOi.abc.def"],
  ["postgres://app:hunter22@db/main"],
  ["used sk-proj-abcdefgh12345678"],
])("no secret survives in %s", (text) => {
  const safe = redactText(text);

  expect(safe).toContain("[redacted]");
  expect(safe).not.toMatch(/a1B2|eyJ|hunter22|abcdefgh/);
});

test("members with a secret name lose their value at any depth, others are unchanged", () => {
  expect(redact({ a: [{ api_key: "x", token: "y", client_secret: "z", key_id: "k" }] })).toEqual({
    a: [{ api_key: "[redacted]", token: "[redacted]", client_secret: "[redacted]", key_id: "k" }],
  });
});

test("an error keeps its message and cause without secrets", () => {
  const safe = JSON.stringify(redact(new Error(`bad ${KEY}`, { cause: new Error(KEY) })));

  expect(safe).toContain("bad [redacted]");
  expect(safe).not.toContain("a1B2");
});

test("text with a long gap after Bearer is redacted in linear time", async () => {
  await expectLinear(redactText, (length) => `Bearer${" ".repeat(length / 5)}x`);
});
