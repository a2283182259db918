/** Reads the `type` of an object inside a request body. */
import { isSpellingOf } from "../../lib/text/fold-name.ts";

/** Returns "" if `type` is missing or repeated in another case (`Type`), where Go's parser uses the last one. */
export function readPartType(part: object): string {
  const type = "type" in part && typeof part.type === "string" ? part.type : "";
  if (type === "") return "";
  for (const name in part) {
    if (name !== "type" && isSpellingOf(name, "type")) return "";
  }
  return type;
}
