/** Detector of calls of unknown tools and of invalid arguments. */
import { z } from "zod";
import { findSchemaViolation } from "../../lib/json/find-schema-violation.ts";
import { startSchemaWork } from "../../lib/json/schema-work.ts";
import { defineDetector, type Match, NOT_RECORDED, type ToolCall } from "../detector.ts";

const Settings = z.strictObject({
  known_tools: z
    .array(
      z.strictObject({
        name: z
          .string()
          .min(1)
          .max(256)
          .describe("Name of the tool, without the prefix `mcp__server__`."),
        parameters: z
          .record(z.string(), z.unknown())
          .default({})
          .describe("JSON Schema of the arguments. If empty, arguments are not checked.")
          .meta({ format: "json-schema" }),
      }),
    )
    .max(1000)
    .default([])
    .describe(
      "Tools that exist in addition to those defined in the payload. Responses seldom repeat the definitions of the request, so list the tools here to check responses.",
    ),
  check_names: z
    .boolean()
    .default(true)
    .describe("Detect calls of undefined tools. Does nothing if no tool is known."),
  check_arguments: z
    .boolean()
    .default(true)
    .describe("Detect arguments that are not JSON or violate the tool's schema."),
});

export const toolSelection = defineDetector({
  kind: "tool_selection",
  title: "Tool selection",
  summary: "Detects calls of unknown tools, and arguments that violate the tool's schema.",
  reads: { input: ["tool_arguments"], output: ["tool_arguments"] },
  masks: false,
  settings: Settings,
  prepare: ({ known_tools, check_names, check_arguments }) => {
    const known = known_tools.map(({ name, parameters }) => [name, parameters] as const);
    return (_, { calls, definitions }) => {
      if (calls.length === 0) return [];
      const schemas = new Map<string, unknown>(known);
      for (const { name, schema } of definitions) schemas.set(name, schema);
      const work = startSchemaWork();
      return calls.flatMap((call): Match[] => {
        const unknown = check_names && schemas.size > 0 && !schemas.has(call.name);
        if (unknown) return [toMisuse(call, "unknown_tool")];
        if (!check_arguments || call.arguments === NOT_RECORDED) return [];
        if (call.arguments === undefined) return [toMisuse(call, "arguments_not_json")];
        const violation = findSchemaViolation(schemas.get(call.name), call.arguments, work);
        if (!violation) return [];
        return [
          toMisuse(call, "invalid_arguments", {
            keyword: violation.keyword,
            argument: violation.pointer,
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
  // The name of an unknown tool is text of the model, which a finding must not repeat.
  detail: { ...(label !== "unknown_tool" && { tool: name }), pointer, ...detail },
});
