/** Gives each tool call of a chat stream its own position: some servers send all calls with the same index, or without one. */

import { createObjectScan } from "../../../lib/json/create-object-scan.ts";
import { isObject, type JsonObject } from "../../../lib/json/json-object.ts";
import { readIndex } from "./stream-format.ts";

interface OpenCall {
  id: unknown;
  position: number;
  scanArguments: (text: string) => boolean;
  isComplete: boolean;
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
    const call = { id, position, scanArguments: createObjectScan(), isComplete: false };
    calls.set(index, call);
    return call;
  }

  return (index: number, { id, function: called }: JsonObject): number => {
    const { name, arguments: text } = isObject(called) ? called : {};
    let call = calls.get(index);
    // A call that is not complete continues: clients that join by index would read a value that was masked in parts.
    const isNew = name && call?.isComplete && (!id || id !== call.id);
    if (!call || isNew) call = openCall(index, id);
    if (typeof text === "string") call.isComplete = call.scanArguments(text);
    return call.position;
  };
}

export type CallPositions = ReturnType<typeof createCallPositions>;
