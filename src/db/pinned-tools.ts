/** The pinned_tools table: each tool as it was accepted, and the changed one that is held back. */
import { table } from "./table.ts";

export interface PinnedToolRow {
  id: string;
  instance_id: string;
  /** As the server gives it. */
  name: string;
  /** Of name, description and schemas. */
  hash: string;
  definition: Record<string, unknown>;
  /** null: the server still tells what was accepted. */
  held_hash: string | null;
  held_definition: Record<string, unknown> | null;
  accepted_by: string;
  accepted_at: string;
  seen_at: string;
}

export const pinnedToolTable = table<PinnedToolRow>({
  name: "pinned_tools",
  columns: {
    id: "text",
    instance_id: "text",
    name: "text",
    hash: "text",
    definition: "json",
    held_hash: "text",
    held_definition: "json",
    accepted_by: "text",
    accepted_at: "text",
    seen_at: "text",
  },
  search: ["name"],
  sort: ["name", "seen_at"],
});
