import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { createCallMatcher } from "./match-calls.ts";

test("results match by id, else by name and order, and only once", () => {
  const calls = createCallMatcher();
  const ids = [calls.addCall("a", undefined), calls.addCall("b", "x"), calls.addCall("a", "y")];

  expect(new Set(ids).size).toBe(3);
  expect(calls.takeCall("a", "y")).toBe("y");
  expect(calls.takeCall("a", undefined)).toBe(ids[0]);
  expect(calls.takeCall("a", undefined)).toBeUndefined();
  expect(calls.takeCall("b", "unknown")).toBeUndefined();
  expect(calls.takeCall("b", undefined)).toBe("x");
});

test("matching many calls in reverse order takes linear time", async () => {
  await expectLinear(
    ({ length }) => {
      const calls = createCallMatcher();
      for (let at = 0; at < length; at++) calls.addCall(`f${at}`, undefined);
      for (let at = length - 1; at >= 0; at--) calls.takeCall(`f${at}`, undefined);
    },
    (length) => "x".repeat(length / 20),
  );
});
