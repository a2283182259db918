/** Detector of tools that are not permitted, by name. */
import { z } from "zod";
import { compileGlobs } from "../../lib/text/glob.ts";
import { defineDetector, type Match } from "../detector.ts";

const ToolPatterns = z.array(z.string().min(1).max(256)).max(1000).default([]);

const Settings = z.strictObject({
  allowed_tools: ToolPatterns.describe(
    "Names of permitted tools, without the prefix `mcp__server__`; `*` matches any characters. An empty list permits every tool that is not denied.",
  ),
  denied_tools: ToolPatterns.describe(
    "Names of denied tools, case-insensitive. They take precedence over `allowed_tools`.",
  ),
  definitions: z
    .boolean()
    .default(false)
    .describe("Also check the tools that a request offers to the model, not only calls.")
    .meta({ title: "Also check offered tools" }),
});

export const toolPermission = defineDetector({
  kind: "tool_permission",
  title: "Tool permission",
  summary: "Detects calls of tools that are denied or not allowed.",
  reads: {
    input: ["tool_arguments", "tool_definition"],
    output: ["tool_arguments", "tool_definition"],
  },
  masks: false,
  settings: Settings,
  prepare: ({ allowed_tools, denied_tools, definitions }) => {
    const isDenied = compileGlobs(denied_tools.map((pattern) => pattern.toLowerCase()));
    const isAllowed = allowed_tools.length === 0 ? () => true : compileGlobs(allowed_tools);
    const problem = (name: string): string | undefined => {
      if (isDenied(name.toLowerCase())) return "denied";
      return isAllowed(name) ? undefined : "not_allowed";
    };
    return (_, context) =>
      [...context.calls, ...(definitions ? context.definitions : [])].flatMap(
        ({ name, pointer }): Match[] => {
          const label = problem(name);
          const detail = { tool: name.slice(0, MAX_NAME_CHARACTERS), pointer };
          return label ? [{ label, type: "tool_denied", confidence: 1, detail }] : [];
        },
      );
  },
});

/** Caps the name, which the payload controls. */
const MAX_NAME_CHARACTERS = 100;
