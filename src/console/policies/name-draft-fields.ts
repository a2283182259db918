/** Replaces paths in the validation errors of a policy draft by the names of its parts. */
import { AppError } from "../../contract/errors.ts";

const PARTS: Record<string, string> = {
  gates: "Gate",
  input_rules: "Input rule",
  output_rules: "Output rule",
};

/** `gates[0].when.value: must not be empty` becomes `Gate 1: condition, value: must not be empty`. */
export function nameDraftFields(error: AppError | undefined): AppError | undefined {
  if (error?.code !== "validation_failed") return error;
  const message = error.message.replace(
    /(^|; )(?:draft\.)?(gates|input_rules|output_rules)\[(\d+)\](?:\.([\w.[\]]+))?/g,
    (_, before: string, list: string, index: string, path = "") => {
      const field = toWords(path);
      return `${before}${PARTS[list]} ${Number(index) + 1}${field && `: ${field}`}`;
    },
  );
  return new AppError(error.code, message, { details: error.details });
}

/** `when.all[1].any[0].value` becomes `condition, comparison 2.1, value`. */
function toWords(path: string): string {
  const [, nested = "", rest = ""] = /^when((?:\.not|\.(?:all|any)\[\d+\])*)(.*)$/.exec(path) ?? [];
  const positions = [...nested.matchAll(/\d+/g)].map(([index]) => Number(index) + 1);
  const comparison = positions.length > 0 ? `, comparison ${positions.join(".")}` : "";
  const isCondition = /^when\b/.test(path);
  const words = (isCondition ? rest : path)
    .replace(/\[(\d+)\]/g, (_, index: string) => ` ${Number(index) + 1}`)
    .replaceAll(".", isCondition ? ", " : " ")
    .replaceAll("_", " ");
  return isCondition ? `condition${comparison}${words}` : words;
}
