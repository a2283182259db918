/** Combines the risks of several turns. */

/** Returns the probability that at least one of two independent risks is real. */
export const combineRisks = (one: number, other: number): number => 1 - (1 - one) * (1 - other);
