/** Reads the `type` of an object inside a request body. */
import { foldName } from "../lib/fold-name.ts";

/** Empty when there is none, or a second one (`Type`): Go's parser would take the last of them. */
export function partType(part: object): string {
  const [[name, type] = [], ...others] = Object.entries(part).filter(
    ([name]) => name.length === "type".length && foldName(name) === "type",
  );
  return name === "type" && others.length === 0 && typeof type === "string" ? type : "";
}
