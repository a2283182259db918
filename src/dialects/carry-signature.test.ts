import { expect, test } from "bun:test";
import { packCallId, packSignature, unpackCallId, unpackSignature } from "./carry-signature.ts";

const SIGNATURE = { dialect: "messages", value: "EqMB+/ü==" } as const;

test("a signature of another format returns with its format", () => {
  const text = packSignature(SIGNATURE, "responses");

  expect(text).toMatch(/^[A-Za-z0-9+/=]+$/);
  expect(unpackSignature(text, "responses")).toEqual(SIGNATURE);
});

test("a signature of the client's own format is not changed", () => {
  expect(packSignature(SIGNATURE, "messages")).toBe(SIGNATURE.value);
  expect(unpackSignature(SIGNATURE.value, "messages")).toEqual(SIGNATURE);
});

test("a signature travels in the id of a tool call, in letters that every API accepts", () => {
  const id = packCallId("call_1", { dialect: "generate_content", value: "a+/b>>??==" });

  expect(id).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(unpackCallId(id)).toEqual({
    id: "call_1",
    signature: { dialect: "generate_content", value: "a+/b>>??==" },
  });
});

test("an id without a signature is not changed, even if it looks similar", () => {
  const similar = `x__sig_${Buffer.from("portcullis:sig:other:1").toString("base64url")}`;
  for (const id of ["call_1", "a__sig_b", similar]) {
    expect(packCallId(id, undefined)).toBe(id);
    expect(unpackCallId(id)).toEqual({ id });
  }
});
