/** Tests that each part of a validation error is found by its field. */
import { expect, test } from "bun:test";
import { AppError } from "../../contract/errors.ts";
import { findProblem, findProblemsBelow, labelOfPath, numberEntries } from "./find-problem.ts";

const ERROR = new AppError(
  "validation_failed",
  "rules[0].action: cannot rewrite; choose report: or block; url: is not https; url_list[2]: is empty",
);

test("a field gets its own message, including its punctuation", () => {
  expect(findProblem(ERROR, "rules[0].action")).toBe("cannot rewrite; choose report: or block");
  expect(findProblem(ERROR, "url")).toBe("is not https");
  expect(findProblem(ERROR, "url_list")).toBeUndefined();
  const twice = new AppError("validation_failed", "url: is too long; url: is not https");
  expect(findProblem(twice, "url")).toBe("is too long; is not https");
});

test("a field gets the messages below it, with their path", () => {
  expect(findProblemsBelow(ERROR, "url_list")).toBe("[2]: is empty");
  expect(findProblemsBelow(ERROR, "url")).toBe("is not https");
  expect(findProblemsBelow(ERROR, "ur")).toBeUndefined();
});

test("list positions are counted from 1, and quoted values stay unchanged", () => {
  expect(numberEntries('[0]: is empty; [12]: "a[1]: b" is not closed', "Entry")).toBe(
    'Entry 1: is empty; Entry 13: "a[1]: b" is not closed',
  );
  expect(numberEntries("any[1].value: compares numbers", "Comparison")).toBe(
    "Comparison 2: value: compares numbers",
  );
});

test("a path without a field is written in words", () => {
  expect(labelOfPath("rules[0].detector_id")).toBe("Rules 1, detector");
  expect(labelOfPath("provider_options.base_url")).toBe("Provider options, base url");
});

test("an already_exists error is found by its field", () => {
  expect(findProblem(new AppError("already_exists", "name: is taken"), "name")).toBe("is taken");
});

test("other error codes belong to no field", () => {
  expect(findProblem(new AppError("conflict", "url: is taken"), "url")).toBeUndefined();
});
