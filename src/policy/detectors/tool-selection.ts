/** Does a call fit the tools there are: a tool that exists, with arguments of the right form? */
import { z } from "zod";
import { findSchemaViolation } from "../../lib/json/find-schema-violation.ts";
import { defineDetector, type Match, NOT_RECORDED, type ToolCall } from "../detector.ts";

const Settings = z.strictObject({
  known_tools: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(256).describe("Without the `mcp__server__` in front."),
        parameters: z
          .record(z.string(), z.unknown())
          .default({})
          .describe("JSON Schema of the arguments. Empty: they are not checked."),
      }),
    )
    .max(1000)
    .default([])
    .describe(
      "Tools that exist besides those the payload itself defines. An answer seldom repeats the definitions of its request, so list the tools here to check answers.",
    ),
  check_names: z
    .boolean()
    .default(true)
    .describe("Find calls of tools that nobody defined. Where no tool is known, nothing is found."),
  check_arguments: z
    .boolean()
    .default(true)
    .describe("Find arguments that are not JSON, or do not fit the schema of their tool."),
});

export const toolSelection = defineDetector({
  kind: "tool_selection",
  title: "Tool selection",
  summary: "Finds calls of tools that do not exist, and arguments that do not fit their schema.",
  reads: { input: ["tool_arguments"], output: ["tool_arguments"] },
  masks: false,
  settings: Settings,
  prepare: ({ known_tools, check_names, check_arguments }) => {
    const known = known_tools.map(({ name, parameters }) => [name, parameters] as const);
    return (_, { calls, definitions }) => {
      if (calls.length === 0) return [];
      const schemas = new Map<string, unknown>(known);
      for (const { name, schema } of definitions) schemas.set(name, schema);
      return calls.flatMap((call): Match[] => {
        const unknown = check_names && schemas.size > 0 && !schemas.has(call.name);
        if (unknown) return [toMisuse(call, "unknown_tool")];
        if (!check_arguments || call.arguments === NOT_RECORDED) return [];
        if (call.arguments === undefined) return [toMisuse(call, "arguments_not_json")];
        const misfit = findSchemaViolation(schemas.get(call.name), call.arguments);
        if (!misfit) return [];
        return [
          toMisuse(call, "invalid_arguments", {
            keyword: misfit.keyword,
            argument: misfit.pointer,
          }),
        ];
      });
    };
  },
});

const toMisuse = (
  { name, pointer }: ToolCall,
  label: string,
  detail: { keyword?: string; argument?: string } = {},
): Match => ({
  label,
  type: "tool_misuse",
  confidence: 1,
  // The name of a tool that does not exist is the model's own text.
  detail: { ...(label !== "unknown_tool" && { tool: name }), pointer, ...detail },
});
