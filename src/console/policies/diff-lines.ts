/** Computes the removed and added lines between two texts. */

export interface DiffLine {
  sign: " " | "-" | "+";
  text: string;
}

/** Beyond this, the changed middle is reported as a whole. */
const MAX_COMPARISONS = 4_000_000;

export function diffLines(before: string, after: string): DiffLine[] {
  const [old, current] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < current.length && old[start] === current[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < current.length - start &&
    old[old.length - 1 - end] === current[current.length - 1 - end]
  ) {
    end += 1;
  }
  return [
    ...toDiffLines(" ", old.slice(0, start)),
    ...diffMiddle(old.slice(start, old.length - end), current.slice(start, current.length - end)),
    ...toDiffLines(" ", old.slice(old.length - end)),
  ];
}

const toDiffLines = (sign: DiffLine["sign"], texts: readonly string[]): DiffLine[] =>
  texts.map((text) => ({ sign, text }));

/** Follows the longest common subsequence. */
function diffMiddle(old: readonly string[], current: readonly string[]): DiffLine[] {
  if (old.length * current.length > MAX_COMPARISONS)
    return [...toDiffLines("-", old), ...toDiffLines("+", current)];
  const width = current.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = current.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === current[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const out: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < current.length) {
    const [before, after] = [old[row], current[column]];
    if (before !== undefined && before === after) {
      out.push({ sign: " ", text: before });
      row += 1;
      column += 1;
    } else if (
      after === undefined ||
      (before !== undefined && at(row + 1, column) >= at(row, column + 1))
    ) {
      out.push({ sign: "-", text: before ?? "" });
      row += 1;
    } else {
      out.push({ sign: "+", text: after });
      column += 1;
    }
  }
  return out;
}
