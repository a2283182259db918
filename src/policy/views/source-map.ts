/** Remembers, while a text is rewritten, which part of the original each part of the result came from. */

export interface Span {
  start: number;
  end: number;
}

export interface SourceMap {
  text: string;
  span: (start: number, end: number) => Span;
}

export interface Rewriter {
  /** The next piece of the result stands for `start` to `end` of the original. */
  put: (piece: string, start: number, end: number) => void;
  done: () => SourceMap;
}

/**
 * A piece as long as what it stands for maps character by character; any other maps whole. Spans of the
 * result are clamped, so that no caller can point outside the original.
 */
export function rewriter(): Rewriter {
  const parts: string[] = [];
  const outAt: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let length = 0;

  return {
    put(piece, start, end) {
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
    done() {
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
        span(from, to) {
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
