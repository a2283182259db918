/** Limit of nested conditions. Without zod, for the console. */

/** Number of `all`, `any` and `not` around a comparison. */
export const MAX_CONDITION_DEPTH = 4;
