/** Asks an upstream for its tools, page by page, up to what a client could ever use. */
import type { Client } from "@modelcontextprotocol/client";
import { z } from "zod";
import { readTool, type Tool } from "./tool-definition.ts";
import { QUICK_MS } from "./upstream-fetch.ts";

export interface ToolList {
  tools: Tool[];
  /** What was left out, for people to read. */
  notes: string[];
}

const MOST_TOOLS = 1000;
const MOST_PAGES = 50;

/** Tools are judged one by one: a bad one must not take the others with it. */
const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

export async function listTools(client: Client): Promise<ToolList> {
  const told: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && told.length <= MOST_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const request = { method: "tools/list", params };
    const { tools, nextCursor } = await client.request(request, Page, { timeout: QUICK_MS });
    told.push(...tools.slice(0, MOST_TOOLS + 1));
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  const notes: string[] = [];
  if (told.length > MOST_TOOLS || cursor !== undefined) {
    notes.push(`It has more than ${MOST_TOOLS} tools; the others are left out.`);
  }
  const read = told.slice(0, MOST_TOOLS).map(readTool);
  // The first one of a name counts: calls go by name.
  const byName = new Map<string, Tool>();
  for (const tool of read) {
    if (tool && !byName.has(tool.definition.name)) byName.set(tool.definition.name, tool);
  }
  const unusable = read.length - byName.size;
  if (unusable > 0) notes.push(`${unusable} of its tools cannot be used: wrong name or schema.`);
  return { tools: [...byName.values()], notes };
}
