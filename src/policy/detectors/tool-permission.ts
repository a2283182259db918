/** Which tools may be called or offered, by name. */
import { z } from "zod";
import { compileGlobs } from "../../lib/text/glob.ts";
import { defineDetector, type Match } from "../detector.ts";

const ToolPatterns = z.array(z.string().min(1).max(256)).max(1000).default([]);

const Settings = z.strictObject({
  allowed_tools: ToolPatterns.describe(
    "Names of tools that may be used; `*` stands for any run of characters. Empty: every tool that is not denied. The name is without the `mcp__server__` in front.",
  ),
  denied_tools: ToolPatterns.describe(
    "Names of tools that may not be used, in upper or lower case; they win over `allowed_tools`.",
  ),
  definitions: z
    .boolean()
    .default(false)
    .describe("Also look at the tools that a request offers to the model, not only at calls."),
});

export const toolPermission = defineDetector({
  kind: "tool_permission",
  title: "Tool permission",
  summary: "Finds calls of tools that are denied or not on the list of allowed ones.",
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
    return (_, surroundings) =>
      [...surroundings.calls, ...(definitions ? surroundings.definitions : [])].flatMap(
        ({ name, pointer }): Match[] => {
          const label = problem(name);
          const detail = { tool: name.slice(0, MAX_NAME_CHARACTERS), pointer };
          return label ? [{ label, type: "tool_denied", confidence: 1, detail }] : [];
        },
      );
  },
});

/** Who sends the payload writes the name, and may write a book. */
const MAX_NAME_CHARACTERS = 100;
