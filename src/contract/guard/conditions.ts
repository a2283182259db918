/** Wire shape of a condition: a test of the attributes of an evaluation, in a gate or rule. */
import { z } from "zod";
import { MAX_CONDITION_DEPTH } from "./condition-depth.ts";

/** Attributes that a condition can test. `tool.arguments` also has members: `tool.arguments.path`. */
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
  "hook.event",
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

const Operand = z.union([z.string().max(4000), z.number(), z.boolean()]);

export const Comparison = z.strictObject({
  field: z
    .string()
    .max(200)
    .describe(`One of ${CONDITION_FIELDS.join(", ")}, or a member of \`tool.arguments\`.`),
  op: z.enum(OPERATORS).describe("A missing attribute is an empty string."),
  value: z
    .union([Operand, z.array(Operand).max(1000)])
    .describe("`in` takes a list or a comma-separated string; `match` takes a pattern."),
});

export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | z.infer<typeof Comparison>;

/** Limits the depth, so that a hostile condition cannot exhaust the stack. */
const conditionOfDepth = (depth: number): z.ZodType<Condition> => {
  if (depth === 0) return Comparison;
  const inner = conditionOfDepth(depth - 1);
  return z.union([
    z.strictObject({ all: z.array(inner).min(1).max(100) }),
    z.strictObject({ any: z.array(inner).min(1).max(100) }),
    z.strictObject({ not: inner }),
    Comparison,
  ]);
};

export const Condition = conditionOfDepth(MAX_CONDITION_DEPTH).describe(
  "`{all: […]}`, `{any: […]}`, `{not: …}` or `{field, op, value}`.",
);
