/** A tool as an upstream describes it: what of it is passed on, and the hash by which a change is found. */
import { z } from "zod";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const ToolName = z.string().regex(/^[^\u0000-\u001f\u007f]{1,256}$/);

const ObjectSchema = z.looseObject({ type: z.literal("object") });

const Definition = z.object({
  name: ToolName,
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: ObjectSchema,
  // Older clients refuse a whole list for one that is not an object's.
  outputSchema: ObjectSchema.optional().catch(undefined),
  annotations: z.looseObject({}).optional().catch(undefined),
});

/** The gateway declares no tasks capability, so clients must not call such a tool as a task. */
const TaskOnly = z.object({ execution: z.object({ taskSupport: z.literal("required") }) });

export interface UpstreamTool {
  /** What clients see, except for the name. */
  definition: z.infer<typeof Definition>;
  hash: string;
  /** Characters of the definition. */
  size: number;
}

const MAX_CHARACTERS = 65_536;
const MAX_DEPTH = 64;

/** Undefined for what no client could use, or is too long or too deep to be a description. */
export function readTool(told: unknown): UpstreamTool | undefined {
  const parsed = Definition.safeParse(told);
  if (!parsed.success || !parsed.data.name.isWellFormed()) return undefined;
  if (TaskOnly.safeParse(told).success) return undefined;
  const text = canonicalize(parsed.data, 0);
  if (text === undefined || text.length > MAX_CHARACTERS) return undefined;
  return { definition: parsed.data, hash: Bun.SHA256.hash(text, "hex"), size: text.length };
}

/** Equal for equal values, in whatever order a server writes its members. */
function canonicalize(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (depth === MAX_DEPTH) return undefined;
  const isList = Array.isArray(value);
  const parts: string[] = [];
  for (const name of isList ? value.keys() : Object.keys(value).sort()) {
    const member = (value as Record<string | number, unknown>)[name];
    if (member === undefined) continue;
    const text = canonicalize(member, depth + 1);
    if (text === undefined) return undefined;
    parts.push(isList ? text : `${JSON.stringify(name)}:${text}`);
  }
  return isList ? `[${parts.join(",")}]` : `{${parts.join(",")}}`;
}
