import { expect, test } from "bun:test";
import { createCipheriv } from "node:crypto";
import { seal, sealedWith, unseal, unsealV1 } from "./seal.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte);
const old = { current: "k1", keys: new Map([["k1", key(1)]]) };
const rotated = {
  current: "k2",
  keys: new Map([
    ["k1", key(1)],
    ["k2", key(2)],
  ]),
};
const context = { purpose: "table.column", id: "row" };

test("sealed text can be unsealed, and sealing twice gives different results", () => {
  const [first, second] = [seal(old, context, "sk-ä"), seal(old, context, "sk-ä")];

  expect(first).not.toBe(second);
  expect(unseal(old, context, first)).toBe("sk-ä");
});

test("a rotated keyring unseals old texts and seals with the new key", () => {
  expect(unseal(rotated, context, seal(old, context, "x"))).toBe("x");
  expect(sealedWith(seal(rotated, context, "x"))).toBe("k2");
});

test("an unknown key, modified text and plain text are not unsealed", () => {
  const sealed = seal(rotated, context, "secret");
  const last = sealed.endsWith("A") ? "B" : "A";

  expect(unseal(old, context, sealed)).toBeUndefined();
  expect(unseal(rotated, context, sealed.slice(0, -2) + last + last)).toBeUndefined();
  expect(unseal(rotated, context, "plain")).toBeUndefined();
  expect(unseal(rotated, context, "sealed:v2:k2:AAAA")).toBeUndefined();
});

test.each([
  { purpose: "table.other", id: "row" },
  { purpose: "table.column", id: "other" },
  { purpose: "table.column", id: "" },
])("text is not unsealed in the context %o", (other) => {
  expect(unseal(old, other, seal(old, context, "secret"))).toBeUndefined();
});

test("text of version 1 is unsealed for an upgrade only, without a context", () => {
  const iv = Buffer.alloc(12);
  const cipher = createCipheriv("aes-256-gcm", key(1), iv);
  const body = Buffer.concat([iv, cipher.update("secret"), cipher.final(), cipher.getAuthTag()]);
  const v1 = `sealed:v1:k1:${body.toString("base64url")}`;

  expect(unsealV1(old, v1)).toBe("secret");
  expect(unseal(old, context, v1)).toBeUndefined();
  expect(unseal(old, context, v1.replace("v1", "v2"))).toBeUndefined();
  expect(unsealV1(old, seal(old, context, "secret"))).toBeUndefined();
});
