import { expect, test } from "bun:test";
import { AppError } from "../../contract/errors.ts";
import { nameDraftFields } from "./name-draft-fields.ts";

const named = (message: string) =>
  nameDraftFields(new AppError("validation_failed", message))?.message;

test("paths into a draft are replaced by the names of its parts", () => {
  expect(named("gates[0].when.value: must not be empty; name: is empty")).toBe(
    "Gate 1: condition, value: must not be empty; name: is empty",
  );
  expect(named("gates[0].when.all[1].not.any[0].value: must not be empty")).toBe(
    "Gate 1: condition, comparison 2.1, value: must not be empty",
  );
  expect(named("gates[1].mask.rules[0].pattern: is too long")).toBe(
    "Gate 2: mask rules 1 pattern: is too long",
  );
  expect(named("draft.output_rules[2].action: is unknown")).toBe(
    "Output rule 3: action: is unknown",
  );
});
