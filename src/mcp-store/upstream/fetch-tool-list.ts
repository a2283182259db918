/** Fetches the tools of an upstream, page by page, up to the limits below. */
import { z } from "zod";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { UpstreamConnection } from "./client-pool.ts";
import { invalidResult } from "./read-content.ts";
import { sendPlainRequest } from "./send-plain-request.ts";
import { readTool, type UpstreamTool } from "./tool-definition.ts";
import { HANDSHAKE_TIMEOUT_MS } from "./upstream-transport.ts";

export interface ToolList {
  tools: UpstreamTool[];
  /** Describes what was left out. */
  notes: string[];
}

const MAX_TOOLS = 1000;
const MAX_PAGES = 50;
/** Limit for all pages together, because tools/list waits for every server. */
const MAX_TOTAL_MS = 2 * HANDSHAKE_TIMEOUT_MS;
const MIB = 1024 * 1024;
/** Limit for all definitions together: they are sent to each caller and evaluated by the guard. */
const MAX_MIB = 4;

/** Tools are validated one by one, so that an invalid one does not invalidate the list. */
const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

export async function fetchToolList(connection: UpstreamConnection): Promise<ToolList> {
  /** The first tool of a name is used, because calls contain only the name. */
  const byName = new Map<string, UpstreamTool>();
  const notes: string[] = [];
  let offered = 0;
  let unusable = 0;
  let size = 0;

  /** Returns false when a limit is reached. */
  function addTool(value: unknown): boolean {
    offered += 1;
    const tool = offered > MAX_TOOLS ? undefined : readTool(value);
    if (offered > MAX_TOOLS || size + (tool?.size ?? 0) > MAX_MIB * MIB) {
      const limit = offered > MAX_TOOLS ? `${MAX_TOOLS} tools` : `${MAX_MIB} MiB of tools`;
      notes.push(`The server has more than ${limit}; the rest is left out.`);
      return false;
    }
    if (!tool || byName.has(tool.definition.name)) unusable += 1;
    else {
      byName.set(tool.definition.name, tool);
      size += tool.size;
    }
    return true;
  }

  const end = elapsedMs() + MAX_TOTAL_MS;
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && notes.length === 0; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const request = { method: "tools/list" as const, params };
    const max_ms = Math.max(1, Math.min(HANDSHAKE_TIMEOUT_MS, end - elapsedMs()));
    const result = await sendPlainRequest(connection, request, { max_ms });
    const { success, data } = Page.safeParse(result);
    if (!success) throw invalidResult();
    data.tools.every(addTool);
    // Some servers send null or an empty text with the last page.
    cursor = data.nextCursor || undefined;
    if (cursor === undefined) break;
  }
  if (notes.length === 0 && cursor !== undefined) {
    notes.push(`The server has more than ${MAX_PAGES} pages of tools; the rest is left out.`);
  }
  if (unusable > 0) {
    notes.push(
      `Unusable tools: ${unusable} (invalid or duplicate name, invalid schema, or callable only as tasks).`,
    );
  }
  return { tools: [...byName.values()], notes };
}
