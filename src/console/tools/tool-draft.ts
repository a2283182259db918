/** Drafts of tool definitions in the format of OpenAI. */
import { AppError } from "../../contract/errors.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { parseJson } from "../ui/parse-json.ts";
import { type ShapeDraft, toArgumentsDraft, toArgumentsSchema } from "./shape-draft.ts";

export type ToolDraft =
  | {
      name: string;
      description: string;
      parameters: ShapeDraft;
      /** The definition as read. Its other members are kept. */
      source: JsonObject;
    }
  /** A tool that is no function, as JSON. */
  | { json: string };

/** `json`: edited JSON of all tools. */
export type ToolsDraft = { tools: readonly ToolDraft[] } | { json: string };

export const NO_TOOLS: ToolsDraft = { tools: [] };

export const newTool = (): ToolDraft => ({
  name: "",
  description: "",
  parameters: toArgumentsDraft({ type: "object", properties: {} }),
  source: { type: "function", function: {} },
});

/** Returns undefined if the value is not a list of tools. */
export const toToolsDraft = (value: unknown): ToolsDraft | undefined =>
  Array.isArray(value) && value.every(isObject) ? { tools: value.map(toToolDraft) } : undefined;

function toToolDraft(source: JsonObject): ToolDraft {
  const { type, function: given } = source;
  if (type !== "function" || !isObject(given)) return { json: JSON.stringify(source, null, 2) };
  const { name, description = "", parameters = {} } = given;
  return typeof name === "string" && typeof description === "string"
    ? { name, description, parameters: toArgumentsDraft(parameters), source }
    : { json: JSON.stringify(source, null, 2) };
}

/** Throws if a tool is invalid; `at` is the path of the tools in the request body. */
export function toTools(draft: ToolsDraft, at: string): unknown[] {
  if ("tools" in draft) return draft.tools.map((tool, index) => toTool(tool, `${at}[${index}]`));
  const value = parseJson(draft.json, at);
  if (Array.isArray(value)) return value;
  throw new AppError("validation_failed", `${at}: must be a list of tools`);
}

function toTool(draft: ToolDraft, at: string): unknown {
  if ("json" in draft) return parseJson(draft.json, at);
  const { name, description, source } = draft;
  if (name.trim() === "") {
    throw new AppError("validation_failed", `${at}.name: must not be empty`);
  }
  const given = isObject(source.function) ? source.function : {};
  const parameters = toArgumentsSchema(draft.parameters, `${at}.parameters`);
  const hasParameters = "parameters" in given || !isEmpty(parameters);
  return {
    ...source,
    function: {
      ...given,
      name,
      ...((description !== "" || "description" in given) && { description }),
      ...(hasParameters && { parameters }),
    },
  };
}

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;
