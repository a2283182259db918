import { expect, test } from "bun:test";
import type { PolicyDocument } from "../contract/guard/policies.ts";
import { compilePolicy } from "./compile-policy.ts";

const saved = (enabled: boolean): PolicyDocument => ({
  name: "p",
  mode: "enforce",
  gates: [],
  input_rules: [
    { detector_id: "d", action: "block", origins: null, when: null, mode: null, enabled },
  ],
  output_rules: [],
  detectors: {
    d: {
      name: "own",
      kind: "http",
      settings: { url: "https://example.com/", headers: { "x-key": "sealed:v2:gone:AAAA" } },
    },
  },
});
const compiled = (enabled: boolean) =>
  compilePolicy(saved(enabled), { id: "p", version: 1 }, () => undefined);

test("a secret that cannot be decrypted fails only a rule that uses it", () => {
  const [rule] = compiled(true).rules.input;
  expect(() => rule?.inspect([], {} as never)).toThrow("cannot be decrypted. Set it again");
  expect(compiled(false).rules.input).toEqual([]);
});
