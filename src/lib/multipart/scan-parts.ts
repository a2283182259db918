/** Collects the text fields of a multipart/form-data body, digests of its files and, on request, the files. */
import { isUtf8 } from "node:buffer";
import { canReadAs } from "../text/fold-name.ts";
import { createMultipartParser, type MultipartParser } from "./multipart-parser.ts";

export interface PartScan extends Pick<MultipartParser, "push" | "end" | "problem"> {
  readonly texts: readonly TextField[];
  readonly files: readonly FilePart[];
  /** True: the files together exceed the cap, and the rest of them is not collected. */
  readonly truncated: boolean;
}

/** A field with the byte range of its value in the body. */
export interface TextField {
  name: string;
  value: string;
  from: number;
  to: number;
}

export interface FilePart {
  name: string;
  /** The parameters of Content-Disposition with the file name, as sent. */
  parameters: string;
  content_type: string | null;
  /** SHA-256 of the content, in hexadecimal. */
  digest: string;
  /** Empty if files are not collected, or exceed the cap. */
  bytes: Buffer;
}

export interface PartCaps {
  /** Caps the bytes of all text fields together; more make the form invalid. */
  maxTextBytes: number;
  /** Caps the bytes of all files together; 0 collects only their digests. */
  maxFileBytes: number;
  /** Fields that must not be files, because a parser could read them as text. */
  textOnly: readonly string[];
}

export function createPartScan(
  boundary: string,
  { maxTextBytes, maxFileBytes, textOnly }: PartCaps,
): PartScan {
  const texts: TextField[] = [];
  const files: FilePart[] = [];
  let textBytes = 0;
  let fileBytes = 0;
  let truncated = false;

  const parser = createMultipartParser(boundary, (part, from) => {
    const { name } = part;
    const pieces: Buffer[] = [];
    const keep = (piece: Buffer) => pieces.push(Buffer.from(piece));
    if (part.file) {
      const field = textOnly.find((each) => canReadAs(name, each));
      if (field !== undefined) parser.reject(`its field ${field} is a file`);
      const hash = new Bun.CryptoHasher("sha256");
      return {
        onContent(piece) {
          hash.update(piece);
          if (maxFileBytes === 0) return;
          fileBytes += piece.length;
          truncated ||= fileBytes > maxFileBytes;
          if (!truncated) keep(piece);
        },
        onEnd() {
          const { parameters, content_type = null } = part;
          const bytes = Buffer.concat(pieces);
          files.push({ name, parameters, content_type, digest: hash.digest("hex"), bytes });
        },
      };
    }
    if (part.other_charset) parser.reject(`its field ${name} is not in UTF-8`);
    return {
      onContent(piece) {
        textBytes += piece.length;
        if (textBytes <= maxTextBytes) keep(piece);
        else parser.reject(`its text fields are longer than ${maxTextBytes} bytes in total`);
      },
      onEnd() {
        const bytes = Buffer.concat(pieces);
        if (!isUtf8(bytes)) parser.reject(`its field ${name} is not valid UTF-8`);
        else texts.push({ name, value: bytes.toString(), from, to: from + bytes.length });
      },
    };
  });
  return {
    push: parser.push,
    end: parser.end,
    get problem() {
      return parser.problem;
    },
    texts,
    files,
    get truncated() {
      return truncated;
    },
  };
}
