/** Text form of a map of model names: `name = name at the upstream`, separated by commas. */
import type { ModelPolicy } from "../../contract/gateway/consumers.ts";
import { splitNames } from "../ui/text.ts";

export const formatModelMap = (map: ModelPolicy["map"] = {}): string =>
  Object.entries(map)
    .map(([name, target]) => `${name} = ${target}`)
    .join(", ");

/** Returns undefined for an empty text. An entry without `=` has an empty target, which the server rejects. */
export function parseModelMap(text: string): ModelPolicy["map"] {
  const entries = splitNames(text).map((entry) => {
    const [name = "", ...target] = entry.split("=");
    return [name.trim(), target.join("=").trim()] as const;
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
