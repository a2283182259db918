/** Is a refusal told at the member it is about, in full, and at no other? */
import { expect, test } from "bun:test";
import { AppError } from "../../contract/errors.ts";
import { findProblem, findProblemsBelow, numberEntries } from "./form.tsx";

const ERROR = new AppError(
  "validation_failed",
  "rules[0].action: cannot rewrite; choose report: or block; url: is not https; url_list[2]: is empty",
);

test("a member gets its own sentence, with the marks that are inside of it", () => {
  expect(findProblem(ERROR, "rules[0].action")).toBe("cannot rewrite; choose report: or block");
  expect(findProblem(ERROR, "url")).toBe("is not https");
  expect(findProblem(ERROR, "url_list")).toBeUndefined();
});

test("a member without fields inside gets what is below it, with the place", () => {
  expect(findProblemsBelow(ERROR, "url_list")).toBe("[2]: is empty");
  expect(findProblemsBelow(ERROR, "url")).toBe("is not https");
  expect(findProblemsBelow(ERROR, "ur")).toBeUndefined();
});

test("places in a list are counted as people do, and what was typed is told as it was", () => {
  expect(numberEntries('[0]: is empty; [12]: "a[1]: b" is not closed', "Entry")).toBe(
    'Entry 1: is empty; Entry 13: "a[1]: b" is not closed',
  );
  expect(numberEntries("any[1].value: compares numbers", "Comparison")).toBe(
    "Comparison 2: value: compares numbers",
  );
});

test("a value that is taken is told at its member", () => {
  expect(findProblem(new AppError("already_exists", "name: is taken"), "name")).toBe("is taken");
});

test("what is no refusal of a member is told at none", () => {
  expect(findProblem(new AppError("conflict", "url: is taken"), "url")).toBeUndefined();
});
