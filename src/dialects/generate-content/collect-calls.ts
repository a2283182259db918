/** Collects the function calls of a response: Vertex can stream one in several parts. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { asList, asObject, asText, invalidResponse } from "../invalid-response.ts";
import { addPartialArg, createObject } from "./add-partial-arg.ts";

/** Includes the path of each partial argument, which is longer than its value. */
const MAX_CALL_CHARACTERS = 16 * 1024 * 1024;

/** Caps the time of an event: each step of a path takes a microsecond. */
const MAX_PATH_CHARACTERS = 2 * 1024 * 1024;

export interface CollectedCall {
  /** Empty if the call has none. */
  id: string;
  name: string;
  args: JsonObject;
  /** Empty if the call has none. */
  thoughtSignature: string;
}

export function createCallCollector() {
  let open: CollectedCall | undefined;
  let size = 0;
  let pathSize = 0;
  return {
    /** Returns the call of a part, or undefined if it continues in another part. */
    add({ functionCall, thoughtSignature }: JsonObject): CollectedCall | undefined {
      const { id, name, args, partialArgs, willContinue } = asObject(functionCall);
      // Names and paths too: only complete calls are counted elsewhere.
      size += JSON.stringify(functionCall).length;
      if (size > MAX_CALL_CHARACTERS) throw invalidResponse("is too long to be translated");
      if (open && name) throw invalidResponse("starts a function call inside of another one");
      open ??= { id: "", name: asText(name), args: createObject(), thoughtSignature: "" };
      if (!open.name) throw invalidResponse("has a function call without a name");
      open.id ||= asText(id);
      open.thoughtSignature ||= asText(thoughtSignature);
      Object.assign(open.args, asObject(args));
      for (const value of asList(partialArgs)) {
        pathSize += asText(asObject(value).jsonPath).length;
        if (pathSize > MAX_PATH_CHARACTERS) throw invalidResponse("is too long to be translated");
        if (!addPartialArg(open.args, asObject(value)))
          throw invalidResponse("has an invalid partial argument");
      }
      if (willContinue === true) return undefined;
      const call = open;
      open = undefined;
      return call;
    },
    /** Returns whether the last call continues in another part. */
    isOpen: () => open !== undefined,
  };
}
