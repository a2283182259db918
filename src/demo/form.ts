/** Reads a multipart body of any size in constant memory: files are passed on, not stored. */
import { readBoundary } from "../lib/multipart/content-type.ts";
import { createMultipartParser, type PartSink } from "../lib/multipart/multipart-parser.ts";
import { errorResponse } from "./wire.ts";

export interface FormFile {
  field: string;
  filename: string;
  type: string;
  bytes: number;
  /** The first bytes: enough to recognize a PNG or a WAV. */
  head: Buffer;
}

export interface Form {
  fields: Record<string, string>;
  files: FormFile[];
}

const MAX_HEAD_BYTES = 4096;
const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_PARTS = 100;

/** `onFile` receives each piece of each file; a piece is valid only during the call. */
export async function readForm(
  request: Request,
  onFile: (field: string, piece: Buffer) => void = () => {},
): Promise<Form | Response> {
  const boundary = readBoundary(request.headers.get("content-type"));
  if (!boundary || !request.body) return errorResponse(400, "Expected a multipart/form-data body.");

  const texts = new Map<string, Buffer[]>();
  const files: FormFile[] = [];
  let parts = 0;
  let textBytes = 0;
  const parser = createMultipartParser(boundary, ({ name, parameters, content_type }) => {
    parts += 1;
    const filename = readFilename(parameters);
    return filename === undefined ? collectText(name) : collectFile(name, filename, content_type);
  });
  for await (const chunk of request.body) {
    parser.push(chunk);
    if (parts > MAX_PARTS || textBytes > MAX_FIELD_BYTES) {
      return errorResponse(413, "The form has too many parts or too much text outside its files.");
    }
  }
  if (parser.closes_at === undefined) {
    return errorResponse(400, "The multipart body is malformed or incomplete.");
  }
  return { fields: joinTexts(texts), files };

  function collectText(name: string): PartSink {
    const pieces: Buffer[] = [];
    texts.set(name, pieces);
    return {
      onContent(piece) {
        textBytes += piece.length;
        pieces.push(Buffer.from(piece));
      },
      onEnd() {},
    };
  }

  function collectFile(
    field: string,
    filename: string,
    type = "application/octet-stream",
  ): PartSink {
    const file: FormFile = { field, filename, type, bytes: 0, head: Buffer.alloc(0) };
    files.push(file);
    return {
      onContent(piece) {
        file.bytes += piece.length;
        const wanted = piece.subarray(0, MAX_HEAD_BYTES - file.head.length);
        if (wanted.length > 0) file.head = Buffer.concat([file.head, wanted]);
        onFile(field, piece);
      },
      onEnd() {},
    };
  }
}

/** Browsers write a quote in a file name as `%22`, other clients as `\"`. */
function readFilename(parameters: string): string | undefined {
  const [, quoted, bare] = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(parameters) ?? [];
  return quoted?.replace(/\\(["\\])/g, "$1").replaceAll("%22", '"') ?? bare;
}

const joinTexts = (texts: Map<string, Buffer[]>): Record<string, string> =>
  Object.fromEntries([...texts].map(([name, pieces]) => [name, Buffer.concat(pieces).toString()]));
