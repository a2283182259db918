/** Reads the `type` of an object inside a request body. */
import { foldName } from "../lib/text/fold-name.ts";

/** Empty when there is none, or a second one (`Type`): Go's parser would take the last of them. */
export function readPartType(part: object): string {
  const type = "type" in part && typeof part.type === "string" ? part.type : "";
  if (type === "") return "";
  for (const name in part) {
    if (name.length === 4 && name !== "type" && foldName(name) === "type") return "";
  }
  return type;
}
