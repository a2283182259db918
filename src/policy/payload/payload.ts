/** What is known of a payload once it is read: its texts, its tools and its attachments. */
import type { Direction, Protocol, Uninspected } from "../../contract/evaluate.ts";
import type { ToolCall, ToolDefinition } from "../detector.ts";
import type { Segment } from "../segment.ts";

export type JsonObject = Record<string, unknown>;

export interface Payload {
  segments: Segment[];
  /** Names of members that are among the segments: a table repeats them in every row. */
  names: Set<string>;
  calls: ToolCall[];
  /** Numbers and switches that say nothing to a detector, and much to who decides about a call. */
  values: ScalarValue[];
  /** How many values came before those in `values`, which is capped. */
  dropped_values: number;
  definitions: ToolDefinition[];
  model: string | null;
  attachments: Attachment[];
  /** PDF, Office and gzip files in the body itself, as the formats of providers carry them. */
  documents: Attachment[];
  uninspected: Uninspected[];
  tool: EvaluatedTool;
}

export type ScalarValue = Pick<Segment, "text" | "role" | "pointer" | "inner">;

/** What the caller says beside the payload. */
export interface PayloadContext {
  direction: Direction;
  protocol: Protocol;
  attributes: Readonly<JsonObject>;
}

/** As it was sent: one without `data` and without `url`, or with both, is the caller's mistake. */
export interface Attachment {
  filename: string | null;
  content_type: string | null;
  data: string | null;
  url: string | null;
  pointer: string;
}

/** What the conditions on `tool.*` look at. */
export interface EvaluatedTool {
  name: string | null;
  command: string | null;
  /** undefined: there are none. */
  arguments: unknown;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const stringOrNull = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;
