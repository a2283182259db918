/** Indexes items by the steps of their JSON pointers, so that one pass over the payload's source finds all of them. */
import { unescapePointerStep } from "../../lib/json/parse-strict.ts";
import type { Segment } from "../segment.ts";

export interface PointerTree<Item> {
  steps: Map<string, PointerTree<Item>>;
  /** Item of the value at this location. */
  item?: Item;
  /** Tree of the JSON inside the string at this location. */
  inner?: PointerTree<Item>;
}

export function buildPointerTree<Item extends { segment: Pick<Segment, "pointer" | "inner"> }>(
  items: readonly Item[],
): PointerTree<Item> {
  const root: PointerTree<Item> = { steps: new Map() };
  for (const item of items) {
    const { pointer, inner } = item.segment;
    const branch = insertPointer(root, pointer);
    if (inner === null) {
      branch.item = item;
    } else {
      branch.inner ??= { steps: new Map() };
      insertPointer(branch.inner, inner).item = item;
    }
  }
  return root;
}

function insertPointer<Item>(root: PointerTree<Item>, pointer: string): PointerTree<Item> {
  let branch = root;
  for (const escaped of pointer.split("/").slice(1)) {
    const step = unescapePointerStep(escaped);
    const next = branch.steps.get(step) ?? { steps: new Map() };
    branch.steps.set(step, next);
    branch = next;
  }
  return branch;
}
