/** Finds the parts of a validation error that concern one field. */
import type { AppError } from "../../contract/errors.ts";
import { capitalize } from "./text.ts";

/** Returns the messages about one field from `slug: is reserved; name: must be unique`. */
export function findProblem(error: AppError | undefined, field: string): string | undefined {
  const lines = splitMessage(error).filter((text) => text.startsWith(`${field}: `));
  const texts = lines.map((text) => text.slice(field.length + 2));
  return texts.length > 0 ? texts.join("; ") : undefined;
}

/** Returns the messages about a field and everything below it, such as `[3].name: is too long`. */
export function findProblemsBelow(error: AppError | undefined, field: string): string | undefined {
  const lines = splitMessage(error).filter(
    (text) => text.startsWith(field) && ":.[".includes(text.charAt(field.length)),
  );
  const rest = lines.map((text) => text.slice(field.length).replace(/^[:.] ?/, ""));
  return lines.length > 0 ? rest.join("; ") : undefined;
}

/** Replaces indexes by positions counted from 1: `[2]: is empty` becomes `Entry 3: is empty`. */
export const numberEntries = (problem: string | undefined, entry: string): string | undefined =>
  problem?.replace(
    /(^|; )(?:all|any)?\[(\d+)\](?:: |\.)/g,
    (_, before: string, index: string) => `${before}${entry} ${Number(index) + 1}: `,
  );

/** Returns the parts of a validation error; none for other errors. */
export const splitProblems = (error: AppError): { path: string; text: string }[] =>
  splitMessage(error).flatMap((line) => {
    const [, path, text] = /^([\w.[\]]+): (.*)$/s.exec(line) ?? [];
    return path && text ? [{ path, text }] : [];
  });

/** Returns words for a path without a field: `rules[0].detector_id` is "Rules 1, detector". */
export const labelOfPath = (path: string): string =>
  capitalize(
    path
      .replace(/\[(\d+)\]/g, (_, index: string) => ` ${Number(index) + 1}`)
      .replaceAll(".", ", ")
      .replace(/_id(?=$|,)/g, "")
      .replaceAll("_", " ")
      .trim(),
  );

const splitMessage = (error: AppError | undefined): string[] =>
  error?.code === "validation_failed" || error?.code === "already_exists"
    ? error.message.split(/; (?=[\w.[\]]+: )/)
    : [];
