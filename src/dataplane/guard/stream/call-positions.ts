/** Gives each tool call of a chat stream its own position: some servers send all calls with the same index, or without one. */

import { createObjectScan } from "../../../lib/json/create-object-scan.ts";
import { isBlank, isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { buildConflictError, readIndex } from "./stream-format.ts";

interface OpenCall {
  id: unknown;
  position: number;
  scanArguments: (text: string) => boolean;
  isComplete: boolean;
  isEmpty: boolean;
  /** True if deltas of another id have continued it, as some servers send a new id in each. */
  hasOtherIds: boolean;
}

/** Returns a function that returns the position of the call that a delta at `index` starts or continues. */
export function createCallPositions() {
  /** The last call at each index. */
  const calls = new Map<number, OpenCall>();
  const taken = new Set<number>();
  let end = 0;

  function openCall(index: number, id: unknown): OpenCall {
    const position = readIndex(taken.has(index) ? end : index, 0);
    taken.add(position);
    end = Math.max(end, position + 1);
    const scanArguments = createObjectScan();
    const state = { isComplete: false, isEmpty: true, hasOtherIds: false };
    const call = { id, position, scanArguments, ...state };
    calls.set(index, call);
    return call;
  }

  return (index: number, delta: JsonObject): number => {
    const { id } = delta;
    const { name, input } = readDelta(delta);
    let call = calls.get(index);
    const isOther = id && id !== call?.id;
    if (call && name && isOther && !isSeparable(call)) throw buildConflictError();
    // Clients may add arguments to a call at another index if none has started at this one.
    if (!call && !name && input !== undefined) throw buildConflictError();
    if (!call || (name && call.isComplete && (isOther || !id))) call = openCall(index, id);
    else if (isOther) call.hasOtherIds = true;
    if (input === undefined) return call.position;
    // Only one value can be merged.
    if (typeof input !== "string" && !call.isEmpty) throw buildConflictError();
    call.isEmpty = false;
    call.isComplete = typeof input !== "string" || call.scanArguments(input);
    return call.position;
  };
}

/** Returns the name of a call, and its arguments or its input. Rejects a delta with several of them: clients read any. */
function readDelta(delta: JsonObject): { name: unknown; input: unknown } {
  const called = [delta.function, delta.custom].filter(isObject);
  const inputs = called
    .flatMap(({ arguments: text, input }) => [text, input])
    .filter((input) => !isBlank(input));
  if (inputs.length > 1) throw buildConflictError();
  return { name: called.find(({ name }) => name)?.name, input: inputs[0] };
}

/** Returns whether clients that join calls by index, and those that join them by id, read the same arguments. */
const isSeparable = ({ isComplete, isEmpty, hasOtherIds }: OpenCall): boolean =>
  (isComplete || isEmpty) && !hasOtherIds;

export type CallPositions = ReturnType<typeof createCallPositions>;
