/** Finds the value of one field of a multipart/form-data body, and whether the body is complete. */
import { isUtf8 } from "node:buffer";
import { canReadAs, foldFieldNames } from "../text/fold-name.ts";
import { createMultipartParser, type MultipartParser, type PartSink } from "./multipart-parser.ts";

export interface FieldScan extends Pick<MultipartParser, "push" | "end" | "problem" | "closes_at"> {
  /** The field's value, known as soon as its part ends. */
  readonly value: string | undefined;
  /** Byte ranges of the field's value in the body: several when the field is repeated. */
  readonly ranges: readonly { from: number; to: number }[];
}

export interface WantedField {
  name: string;
  /** Returns whether a field makes the form invalid. Called with the folded name of the field and of each index (`a[0][name]`). */
  isForbidden?: (name: string) => boolean;
}

const MAX_VALUE_BYTES = 4 * 1024;
/** Caps the time to check a name, which grows with its indexes. */
const MAX_NAME_CHARACTERS = 256;

export function createFieldScan(
  boundary: string,
  { name: field, isForbidden }: WantedField,
): FieldScan {
  let value: string | undefined;
  const ranges: { from: number; to: number }[] = [];

  const parser = createMultipartParser(boundary, (part, offset) => {
    const problem = part.name === field ? findFieldProblem(part) : findNameProblem(part.name);
    if (problem !== undefined) parser.reject(problem);
    return part.name === field ? readValue(offset) : undefined;
  });

  return {
    push: parser.push,
    end: parser.end,
    get value() {
      return value;
    },
    ranges,
    get problem() {
      return parser.problem;
    },
    get closes_at() {
      return parser.closes_at;
    },
  };

  function findFieldProblem(part: { file: boolean; other_charset: boolean }): string | undefined {
    if (part.file) return `its field ${field} is a file`;
    return part.other_charset ? `its field ${field} is not in UTF-8` : undefined;
  }

  function findNameProblem(name: string): string | undefined {
    if (name.length > MAX_NAME_CHARACTERS) {
      return `the name of a field is longer than ${MAX_NAME_CHARACTERS} characters`;
    }
    if (canReadAs(name, field)) return `a field may be read as ${field}: rename it`;
    if (!isForbidden) return undefined;
    const banned = foldFieldNames(name).find(isForbidden);
    return banned === undefined ? undefined : `the field ${banned} is not supported here`;
  }

  function readValue(from: number): PartSink {
    const pieces: Buffer[] = [];
    let size = 0;
    return {
      onContent(piece) {
        size += piece.length;
        if (size > MAX_VALUE_BYTES) {
          parser.reject(`its field ${field} is longer than ${MAX_VALUE_BYTES} bytes`);
        } else pieces.push(Buffer.from(piece));
      },
      onEnd() {
        const bytes = Buffer.concat(pieces);
        const text = bytes.toString();
        if (!isUtf8(bytes)) parser.reject(`its field ${field} is not valid UTF-8`);
        else if (value !== undefined && value !== text) {
          parser.reject(`it has the field ${field} twice, with different values`);
        } else {
          value = text;
          ranges.push({ from, to: from + size });
        }
      },
    };
  }
}
