/** A list in a configuration file: every item once, told apart by one of its members. */
import { z } from "zod";

export const configList = <Item extends z.ZodType<object>>(
  item: Item,
  identity: keyof z.output<Item> & string,
  most: number,
) =>
  z
    .array(item)
    .max(most)
    .superRefine((list, context) => refuseTwice(list, identity, context));

export type Issues = Pick<z.core.$RefinementCtx<unknown>, "issues">;

export const refuse = (context: Issues, path: PropertyKey[], message: string): void =>
  void context.issues.push({ code: "custom", path, message, input: undefined });

/** Two items with one identity: the second would silently win. */
function refuseTwice<Item>(list: readonly Item[], identity: keyof Item & string, context: Issues) {
  const seen = new Set<unknown>();
  for (const [index, item] of list.entries()) {
    if (seen.has(item[identity])) refuse(context, [index, identity], "is there twice");
    seen.add(item[identity]);
  }
}
