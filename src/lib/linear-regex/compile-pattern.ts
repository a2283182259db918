/** A pattern that users write, on an engine whose time grows with the text and nothing else. */
import { compileTree } from "./compile-tree.ts";
import { parsePattern } from "./parse-pattern.ts";
import { type MatchRange, searchProgram } from "./search-program.ts";

export interface Pattern {
  test(text: string): boolean;
  /** UTF-16 offsets from left to right, not overlapping. Empty matches are left out. */
  findMatches(text: string): readonly MatchRange[];
}

const MAX_LENGTH = 2000;

/** Throws an Error that tells the pattern's author what to change. */
export function compilePattern(source: string, options: { ignore_case?: boolean } = {}): Pattern {
  if (source === "") throw new Error("The pattern is empty. Write what to look for.");
  if (source.length > MAX_LENGTH) {
    throw new Error(
      `The pattern has ${source.length} characters, ${MAX_LENGTH} are allowed. Split it.`,
    );
  }
  return searchProgram(compileTree(parsePattern(source, options.ignore_case ?? false)));
}

/** Why a pattern is refused, for whoever wrote it; undefined when it is not. */
export function findPatternError(source: string): string | undefined {
  try {
    compilePattern(source);
    return undefined;
  } catch (refused) {
    return refused instanceof Error ? refused.message : "is not a pattern";
  }
}
