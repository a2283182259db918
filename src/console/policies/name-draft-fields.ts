/** Replaces paths in the validation errors of a policy draft by the names of its parts. */
import { AppError } from "../../contract/errors.ts";

const PARTS: Record<string, string> = {
  gates: "Gate",
  input_rules: "Input rule",
  output_rules: "Output rule",
};

/** `gates[0].when.value: must not be empty` becomes `Gate 1: condition value: must not be empty`. */
export function nameDraftFields(error: AppError | undefined): AppError | undefined {
  if (error?.code !== "validation_failed") return error;
  const message = error.message.replace(
    /(^|; )(?:draft\.)?(gates|input_rules|output_rules)\[(\d+)\](?:\.([\w.]+))?/g,
    (_, before: string, list: string, index: string, path = "") => {
      const field = path.replace(/^when\b/, "condition").replaceAll(/[._]/g, " ");
      return `${before}${PARTS[list]} ${Number(index) + 1}${field && `: ${field}`}`;
    },
  );
  return new AppError(error.code, message, { details: error.details });
}
