/** Which lines went and which came, between two texts? */

export interface DiffLine {
  sign: " " | "-" | "+";
  text: string;
}

/** Above this many comparisons the changed middle is told as a whole. */
const MAX_COMPARISONS = 4_000_000;

export function diffLines(before: string, after: string): DiffLine[] {
  const [was, is] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start += 1;
  let end = 0;
  while (
    end < was.length - start &&
    end < is.length - start &&
    was[was.length - 1 - end] === is[is.length - 1 - end]
  ) {
    end += 1;
  }
  return [
    ...toDiffLines(" ", was.slice(0, start)),
    ...diffMiddle(was.slice(start, was.length - end), is.slice(start, is.length - end)),
    ...toDiffLines(" ", was.slice(was.length - end)),
  ];
}

const toDiffLines = (sign: DiffLine["sign"], texts: readonly string[]): DiffLine[] =>
  texts.map((text) => ({ sign, text }));

/** Along the longest run of lines that both have. */
function diffMiddle(was: readonly string[], is: readonly string[]): DiffLine[] {
  if (was.length * is.length > MAX_COMPARISONS)
    return [...toDiffLines("-", was), ...toDiffLines("+", is)];
  const width = is.length + 1;
  const common = new Uint32Array((was.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = was.length - 1; row >= 0; row -= 1) {
    for (let column = is.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        was[row] === is[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const out: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < was.length || column < is.length) {
    const [old, now] = [was[row], is[column]];
    if (old !== undefined && old === now) {
      out.push({ sign: " ", text: old });
      row += 1;
      column += 1;
    } else if (
      now === undefined ||
      (old !== undefined && at(row + 1, column) >= at(row, column + 1))
    ) {
      out.push({ sign: "-", text: old ?? "" });
      row += 1;
    } else {
      out.push({ sign: "+", text: now });
      column += 1;
    }
  }
  return out;
}
