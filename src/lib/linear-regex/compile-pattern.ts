/** Compiles a regular expression of a user for an engine that runs in linear time. */
import { compileTree } from "./compile-tree.ts";
import { countContext, createOpenStartFinder } from "./open-start-finder.ts";
import { parsePattern } from "./parse-pattern.ts";
import { type MatchRange, searchProgram } from "./search-program.ts";

export interface Pattern {
  test(text: string): boolean;
  /** Returns UTF-16 ranges from left to right, without overlaps and empty matches. */
  findMatches(text: string): readonly MatchRange[];
  /** Returns the first offset, at least `from`, at which a match starts that more text may complete or change. */
  findOpenStart(text: string, from: number): number;
  /** Number of characters before a match that it depends on: all of them if the pattern contains `^`. */
  context: number;
  /** Steps and ranges of classes, as a measure of the time to compile it and of its memory. */
  size: number;
}

const MAX_LENGTH = 2000;

/** Throws an Error that says what to change in the pattern. */
export function compilePattern(source: string, options: { ignore_case?: boolean } = {}): Pattern {
  if (source === "") throw new Error("The pattern is empty. Enter the text to find.");
  if (source.length > MAX_LENGTH) {
    throw new Error(
      `The pattern has ${source.length} characters; at most ${MAX_LENGTH} are allowed. Split it.`,
    );
  }
  const { tree, ranges } = parsePattern(source, options.ignore_case ?? false);
  const program = compileTree(tree);
  // Lazy: takes longer than all else, and a pattern that is only validated needs none.
  let search: ReturnType<typeof searchProgram> | undefined;
  const getSearch = () => {
    search ??= searchProgram(program);
    return search;
  };
  // Lazy: only streams need it.
  let findOpenStart: Pattern["findOpenStart"] | undefined;
  return {
    test: (text) => getSearch().test(text),
    findMatches: (text) => getSearch().findMatches(text),
    findOpenStart(text, from) {
      findOpenStart ??= createOpenStartFinder(program);
      return findOpenStart(text, from);
    },
    context: countContext(program),
    size: program.steps.length + ranges,
  };
}

/** Returns why the pattern is invalid; undefined when it is valid. */
export function findPatternError(
  source: string,
  options?: { ignore_case: boolean },
): string | undefined {
  try {
    compilePattern(source, options);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "is not a pattern";
  }
}

/** Returns the size of a pattern; undefined when it is invalid. */
export function measurePattern(source: string): number | undefined {
  try {
    return compilePattern(source).size;
  } catch {
    return undefined;
  }
}
