/** Names the values of a request by their path in the tool call, so that no two of them have the same name. */
import type { StoredText } from "../../contract/guard/activity.ts";

/** Returns a name for each stored value. `calls` are the locations of the calls; names of several are ambiguous. */
export function nameArguments(values: readonly StoredText[], calls: readonly string[]): string[] {
  const names = values.map((value) => toShortName(value, calls));
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return values.map(({ pointer, inner }, index) => {
    const name = names[index] ?? "";
    const isAmbiguous = name === "" || calls.length > 1 || (counts.get(name) ?? 0) > 1;
    return isAmbiguous ? pointer + (inner ?? "") || "value" : name;
  });
}

/** `/params/arguments/to/name` becomes `to.name` in the call at `/params`. Empty where a member has a dot in its name. */
function toShortName({ pointer, inner }: StoredText, calls: readonly string[]): string {
  const call = calls.find((at) => pointer.startsWith(`${at}/`));
  const path =
    call === undefined
      ? pointer
      : pointer.slice(call.length).replace(/^\/(arguments|args|input)(?=\/)/, "");
  const name = inner ?? path;
  return name.includes(".") ? "" : name.replace(/^\//, "").replaceAll("/", ".");
}
