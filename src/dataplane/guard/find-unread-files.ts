/** Lists the requests or results of a batch, which are in a file, as uninspected. */
import type { Uninspected } from "../../contract/guard/evaluate.ts";
import type { JsonObject } from "../../lib/json/json-object.ts";
import type { ParsedRequest } from "../stages.ts";

export function findUnreadFiles(
  { capability }: Pick<ParsedRequest, "capability">,
  payload: JsonObject,
  member: "input_file_id" | "output_file_id",
): Uninspected[] {
  if (capability !== "batches" || typeof payload[member] !== "string") return [];
  const detail = "The requests and results of a batch are in files.";
  return [{ pointer: `/${member}`, reason: "unreadable", detail }];
}
