/** Source maps: build a derived text and map its offsets to the original. */

export interface TextSpan {
  start: number;
  end: number;
}

export interface SourceMap {
  text: string;
  toOriginal: (start: number, end: number) => TextSpan;
}

export interface SourceMapBuilder {
  /** Appends a piece that corresponds to `start` to `end` of the original. */
  append: (piece: string, start: number, end: number) => void;
  build: () => SourceMap;
}

/**
 * Creates a builder. A piece of the same length as its original maps character by character; any other piece maps as a
 * whole. Spans are clamped to the original.
 */
export function createSourceMapBuilder(): SourceMapBuilder {
  const parts: string[] = [];
  const outAt: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let length = 0;

  return {
    append(piece, start, end) {
      if (piece === "") return;
      parts.push(piece);
      const last = outAt.length - 1;
      const even = piece.length === end - start;
      const lastEven = last >= 0 && length - at(outAt, last) === at(ends, last) - at(starts, last);
      if (even && lastEven && at(ends, last) === start) ends[last] = end;
      else {
        outAt.push(length);
        starts.push(start);
        ends.push(end);
      }
      length += piece.length;
    },
    build() {
      const pieceAt = (offset: number) => {
        let low = 0;
        let high = outAt.length - 1;
        while (low < high) {
          const middle = (low + high + 1) >> 1;
          if (at(outAt, middle) <= offset) low = middle;
          else high = middle - 1;
        }
        return low;
      };
      const isEven = (piece: number) =>
        (piece + 1 < outAt.length ? at(outAt, piece + 1) : length) - at(outAt, piece) ===
        at(ends, piece) - at(starts, piece);
      return {
        text: parts.join(""),
        toOriginal(from, to) {
          if (length === 0) return { start: 0, end: 0 };
          const first = pieceAt(from);
          const last = pieceAt(Math.max(from, to - 1));
          const start = isEven(first)
            ? Math.min(at(starts, first) + from - at(outAt, first), at(ends, first))
            : at(starts, first);
          const end = isEven(last)
            ? Math.min(at(starts, last) + to - at(outAt, last), at(ends, last))
            : at(ends, last);
          return { start, end: Math.max(start, end) };
        },
      };
    },
  };
}

const at = (numbers: readonly number[], index: number) => numbers[index] ?? 0;
