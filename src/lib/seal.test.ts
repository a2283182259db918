import { expect, test } from "bun:test";
import { seal, sealedWith, unseal } from "./seal.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte);
const old = { current: "k1", keys: new Map([["k1", key(1)]]) };
const rotated = {
  current: "k2",
  keys: new Map([
    ["k1", key(1)],
    ["k2", key(2)],
  ]),
};

test("what was sealed opens again, and two seals of one text differ", () => {
  const [first, second] = [seal(old, "sk-ä"), seal(old, "sk-ä")];

  expect(first).not.toBe(second);
  expect(unseal(old, first)).toBe("sk-ä");
});

test("a rotated keyring opens old texts and seals with the new key", () => {
  expect(unseal(rotated, seal(old, "x"))).toBe("x");
  expect(sealedWith(seal(rotated, "x"))).toBe("k2");
});

test("an unknown key, a changed text and a plain text do not open", () => {
  const sealed = seal(rotated, "secret");
  const last = sealed.endsWith("A") ? "B" : "A";

  expect(unseal(old, sealed)).toBeUndefined();
  expect(unseal(rotated, sealed.slice(0, -2) + last + last)).toBeUndefined();
  expect(unseal(rotated, "plain")).toBeUndefined();
});
