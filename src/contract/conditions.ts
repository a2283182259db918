/** Wire shape of a condition: what gates and rules ask of an evaluation's attributes. */
import { z } from "zod";

/** What a condition may look at. `tool.arguments` also takes members: `tool.arguments.path`. */
export const CONDITION_FIELDS = [
  "consumer.id",
  "consumer.name",
  "consumer.tag",
  "consumer.type",
  "model.name",
  "model.provider",
  "collector.id",
  "collector.type",
  "source.application",
  "session.id",
  "protocol",
  "direction",
  "tool.name",
  "tool.command",
  "tool.arguments",
] as const;

export const OPERATORS = [
  "eq",
  "neq",
  "gt",
  "lt",
  "contains",
  "not_contains",
  "in",
  "match",
] as const;
export type Operator = (typeof OPERATORS)[number];

const Compared = z.union([z.string().max(4000), z.number(), z.boolean()]);

export const Comparison = z.strictObject({
  field: z
    .string()
    .max(200)
    .describe(`One of ${CONDITION_FIELDS.join(", ")}, or a member of \`tool.arguments\`.`),
  op: z.enum(OPERATORS).describe("A missing attribute counts as the empty text."),
  value: z
    .union([Compared, z.array(Compared).max(1000)])
    .describe("`in` takes a list, or text with commas; `match` a pattern."),
});

export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | z.infer<typeof Comparison>;

/** As deep as people write them: a hostile one cannot grow the stack. */
const at = (depth: number): z.ZodType<Condition> => {
  if (depth === 0) return Comparison;
  const inner = at(depth - 1);
  return z.union([
    z.strictObject({ all: z.array(inner).min(1).max(100) }),
    z.strictObject({ any: z.array(inner).min(1).max(100) }),
    z.strictObject({ not: inner }),
    Comparison,
  ]);
};

export const Condition = at(4).describe(
  "`{all: […]}`, `{any: […]}`, `{not: …}` or `{field, op, value}`.",
);
