/** Segments by the steps of their pointers, so that one pass over the text of a payload finds all of them. */
import { unescapePointerStep } from "../../lib/json/parse-strict.ts";
import type { Segment } from "../segment.ts";

export interface Branch<Item> {
  steps: Map<string, Branch<Item>>;
  /** What belongs to the value that stands here. */
  item?: Item;
  /** The same inside the JSON that the string here holds. */
  inner?: Branch<Item>;
}

export function placeTree<Item extends { segment: Pick<Segment, "pointer" | "inner"> }>(
  items: readonly Item[],
): Branch<Item> {
  const root: Branch<Item> = { steps: new Map() };
  for (const item of items) {
    const { pointer, inner } = item.segment;
    const branch = grow(root, pointer);
    if (inner === null) {
      branch.item = item;
    } else {
      branch.inner ??= { steps: new Map() };
      grow(branch.inner, inner).item = item;
    }
  }
  return root;
}

function grow<Item>(root: Branch<Item>, pointer: string): Branch<Item> {
  let branch = root;
  for (const escaped of pointer.split("/").slice(1)) {
    const step = unescapePointerStep(escaped);
    const next = branch.steps.get(step) ?? { steps: new Map() };
    branch.steps.set(step, next);
    branch = next;
  }
  return branch;
}
