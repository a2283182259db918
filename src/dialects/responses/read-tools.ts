/** Reads the tools of a responses request: functions, custom tools and the client's tool search as functions, and namespaces. */
import { z } from "zod";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { decodeMember, memberError } from "../decode-member.ts";
import { defined } from "../defined.ts";
import { droppedMembers } from "../dropped-members.ts";
import type { NeutralTool, ToolChoice } from "../neutral.ts";
import { RESPONSES_DROPPED } from "./dropped.ts";

const DROPPED_TOOLS: readonly unknown[] = RESPONSES_DROPPED.tools;
const dropped = droppedMembers(RESPONSES_DROPPED.tool);

const FunctionTool = z.strictObject({
  ...dropped,
  type: z.literal("function"),
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

const CustomTool = z.strictObject({
  ...dropped,
  type: z.literal("custom"),
  name: z.string(),
  description: z.string().nullish(),
  format: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("text") }),
      z.strictObject({ type: z.literal("grammar"), syntax: z.string(), definition: z.string() }),
    ])
    .nullish(),
});

const Namespace = z.strictObject({
  ...droppedMembers(RESPONSES_DROPPED.namespace),
  type: z.literal("namespace"),
  name: z.string(),
  tools: z.array(z.unknown()),
});

/** The client searches, and sends the tools it found with the next request. */
const SearchTool = z.strictObject({
  type: z.literal("tool_search"),
  execution: z.literal("client", "must be client for this model's upstream"),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});

/** Name of the function that the tool search becomes. */
export const TOOL_SEARCH = "tool_search";

/** The single argument of the function that a custom tool becomes. */
const CUSTOM_INPUT = "input";
const CUSTOM_SCHEMA = {
  type: "object",
  properties: { [CUSTOM_INPUT]: { type: "string" } },
  required: [CUSTOM_INPUT],
  additionalProperties: false,
};

const CLIENT_TOOL_TYPES = ["function", "custom", "tool_search"] as const;

/** A tool as the client names it, by the name that upstreams get. */
export interface ClientTool {
  name: string;
  namespace?: string;
  type: (typeof CLIENT_TOOL_TYPES)[number];
}

/** Upstreams have no namespaces, so a tool's name contains its namespace. */
export const joinToolName = (namespace: string | null | undefined, name: string): string =>
  namespace ? `${namespace}__${name}` : name;

export function readTools(tools: readonly unknown[], at = "tools"): NeutralTool[] {
  return tools.flatMap((tool, index) => readTool(tool, `${at}[${index}]`));
}

function readTool(tool: unknown, at: string): NeutralTool[] {
  const type = isObject(tool) ? tool.type : undefined;
  if (DROPPED_TOOLS.includes(type)) return [];
  switch (type) {
    case "function": {
      const { name, description, parameters, strict } = decodeMember(FunctionTool, tool, at);
      const schema = parameters ?? { type: "object", properties: {} };
      return [defined({ name, description, schema, strict })];
    }
    case "custom": {
      const { name, description, format } = decodeMember(CustomTool, tool, at);
      const grammar =
        format?.type === "grammar"
          ? `The input must match this ${format.syntax} grammar:\n${format.definition}`
          : undefined;
      const described = [description, grammar].filter(Boolean).join("\n\n");
      return [{ name, description: described, schema: CUSTOM_SCHEMA }];
    }
    case "namespace": {
      const { name, tools } = decodeMember(Namespace, tool, at);
      return readTools(tools, `${at}.tools`).map((inner) => ({
        ...inner,
        name: joinToolName(name, inner.name),
      }));
    }
    case "tool_search": {
      const { description, parameters } = decodeMember(SearchTool, tool, at);
      const schema = parameters ?? { type: "object", properties: {} };
      return [defined({ name: TOOL_SEARCH, description, schema })];
    }
    default:
      throw memberError(
        `${at}.type`,
        `${JSON.stringify(type)?.slice(0, 80)} tools cannot be translated for this model's upstream; use functions`,
      );
  }
}

/** Types of input items that add tools to those of the request. */
const TOOL_ITEMS: readonly unknown[] = ["additional_tools", "tool_search_output"];

/** Returns the tools of the request, and those of its items, such as the result of a tool search. */
export function readAllTools(tools: readonly unknown[], input: unknown): NeutralTool[] {
  const added = listAdded(input).flatMap(({ tools, at }) => readTools(tools, at));
  const all = [...readTools(tools), ...added];
  return [...new Map(all.map((tool) => [tool.name, tool])).values()];
}

function listAdded(input: unknown): { tools: unknown[]; at: string }[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item: unknown, index) =>
    isObject(item) && TOOL_ITEMS.includes(item.type) && Array.isArray(item.tools)
      ? [{ tools: item.tools, at: `input[${index}].tools` }]
      : [],
  );
}

/** Lists the tools of the client's body that are not plain functions. The body was read before. */
export function listClientTools(request: JsonObject): Map<string, ClientTool> {
  const found = new Map<string, ClientTool>();
  const add = (tools: unknown, namespace: string | undefined) => {
    if (!Array.isArray(tools)) return;
    for (const tool of tools) {
      if (!isObject(tool)) continue;
      const { name = TOOL_SEARCH } = tool;
      if (typeof name !== "string") continue;
      if (tool.type === "namespace") add(tool.tools, name);
      const type = CLIENT_TOOL_TYPES.find((each) => each === tool.type);
      if (!type || (type === "function" && namespace === undefined)) continue;
      found.set(joinToolName(namespace, name), defined({ name, namespace, type }));
    }
  };
  add(request.tools, undefined);
  for (const { tools } of listAdded(request.input)) add(tools, undefined);
  return found;
}

export const writeCustomInput = (input: string): string =>
  JSON.stringify({ [CUSTOM_INPUT]: input });

/** Returns the arguments themselves if the model did not follow the schema: the client's tool reports the error. */
export function readCustomInput(args: string): string {
  try {
    const parsed: unknown = JSON.parse(args);
    const input = isObject(parsed) ? parsed[CUSTOM_INPUT] : undefined;
    return typeof input === "string" ? input : args;
  } catch {
    return args;
  }
}

const NamedTool = z.strictObject({
  type: z.enum(["function", "custom"], "must be function or custom for this model's upstream"),
  name: z.string(),
  namespace: z.string().nullish(),
});
const AllowedTools = z.strictObject({
  type: z.literal("allowed_tools"),
  mode: z.enum(["auto", "required"]),
  tools: z.array(NamedTool),
});

/** Returns the choice, and the tools that it allows. */
export function readToolChoice(
  value: unknown,
  tools: NeutralTool[],
): { tool_choice?: ToolChoice; tools: NeutralTool[] } {
  if (value == null) return { tools };
  if (typeof value === "string") {
    const type = decodeMember(z.enum(["none", "auto", "required"]), value, "tool_choice");
    return { tool_choice: { type }, tools };
  }
  if (isObject(value) && value.type === "allowed_tools") {
    const { mode, tools: allowed } = decodeMember(AllowedTools, value, "tool_choice");
    const names = new Set(allowed.map(({ namespace, name }) => joinToolName(namespace, name)));
    return { tool_choice: { type: mode }, tools: tools.filter(({ name }) => names.has(name)) };
  }
  const { name, namespace } = decodeMember(NamedTool, value, "tool_choice");
  return { tool_choice: { type: "tool", name: joinToolName(namespace, name) }, tools };
}
