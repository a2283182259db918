/** Types of a parsed payload: its texts, tools and attachments. */

import type { Direction, Protocol, Uninspected } from "../../contract/guard/evaluate.ts";
import type { JsonObject } from "../../lib/json/json-object.ts";
import type { ToolCall, ToolDefinition } from "../detector.ts";
import type { MarkupPage, Segment } from "../segment.ts";

export interface Payload {
  segments: Segment[];
  /** Member names that already are segments: a table repeats them in every row. */
  names: Set<string>;
  calls: ToolCall[];
  /** Numbers, booleans and empty values that no detector inspects but an approver needs to see. */
  values: ScalarValue[];
  /** Number of values that were dropped from `values`, `ids` and `uninspected`, which are capped. */
  dropped_values: number;
  /** Ids and names of the format, which no detector inspects; null unless the context lists them. */
  ids: ScalarValue[] | null;
  definitions: ToolDefinition[];
  model: string | null;
  attachments: Attachment[];
  /** PDF, Office and gzip files inside the body. */
  documents: Attachment[];
  /** Segments that are read without tags as well. */
  pages: MarkupPage[];
  uninspected: Uninspected[];
  /** Location of the first member that only a parser that ignores case reads as one of the format; null if there is none. */
  respelled: string | null;
  tool: EvaluatedTool;
}

export interface ScalarValue extends Pick<Segment, "text" | "role" | "pointer" | "inner"> {
  /** The value is bytes, and `text` is their kind. */
  isBytes?: boolean;
}

/** Parameters of the evaluation request, beside the payload. */
export interface PayloadContext {
  direction: Direction;
  protocol: Protocol;
  attributes: Readonly<JsonObject>;
  /** True for a body of another API, whose member `attachments` is not a list of files for us. */
  is_foreign_body?: boolean;
  /** True for an approver, who needs to see them. */
  lists_ids?: boolean;
}

/** Attachment as it was sent. One without `data` and `url`, or with both, is invalid. */
export interface Attachment {
  filename: string | null;
  content_type: string | null;
  data: string | null;
  url: string | null;
  pointer: string;
}

/** Number of attachments and documents of a payload that are read. */
export const MAX_ATTACHMENTS = 20;
/** Maximum of listed parts that were not inspected. */
export const MAX_UNINSPECTED = 1000;

/** Tool that conditions on `tool.*` refer to. */
export interface EvaluatedTool {
  name: string | null;
  command: string | null;
  /** undefined if there are none. */
  arguments: unknown;
}

export const stringOrNull = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;
