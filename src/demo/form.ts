/** Reads a multipart form of any size in a fixed amount of memory: files are counted, not kept. */
import { splitForm } from "./split-form.ts";
import { errorResponse } from "./wire.ts";

export interface FormFile {
  field: string;
  filename: string;
  type: string;
  bytes: number;
  /** The first bytes: enough to know a PNG or a WAV by. */
  head: Buffer;
}

export interface Form {
  fields: Record<string, string>;
  files: FormFile[];
}

const MAX_HEAD_BYTES = 4096;
const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_PARTS = 100;

/** `onFile` sees each piece of each file once; what it does not copy is gone. */
export async function readForm(
  request: Request,
  onFile: (field: string, piece: Buffer) => void = () => {},
): Promise<Form | Response> {
  const boundary = boundaryOf(request.headers.get("content-type") ?? "");
  if (!boundary || !request.body) return errorResponse(400, "Expected a multipart/form-data body.");

  const texts = new Map<string, Buffer[]>();
  const files: FormFile[] = [];
  let take = (_piece: Buffer) => {};
  let parts = 0;
  let textBytes = 0;
  let complete = false;
  for await (const step of splitForm(request.body, boundary)) {
    if (step === "end") {
      complete = true;
    } else if (Buffer.isBuffer(step)) {
      take(step);
    } else {
      const { name, filename, type } = step;
      parts += 1;
      take = filename === undefined ? takeText(name) : takeFile(name, filename, type);
    }
    if (parts > MAX_PARTS || textBytes > MAX_FIELD_BYTES) {
      return errorResponse(413, "The form has too many parts or too much text outside its files.");
    }
  }
  if (!complete) return errorResponse(400, "The multipart body is malformed or cut short.");
  return { fields: textsOf(texts), files };

  function takeText(name: string) {
    const pieces: Buffer[] = [];
    texts.set(name, pieces);
    return (piece: Buffer) => {
      textBytes += piece.length;
      pieces.push(Buffer.from(piece));
    };
  }

  function takeFile(field: string, filename: string, type = "application/octet-stream") {
    const file: FormFile = { field, filename, type, bytes: 0, head: Buffer.alloc(0) };
    files.push(file);
    return (piece: Buffer) => {
      file.bytes += piece.length;
      const wanted = piece.subarray(0, MAX_HEAD_BYTES - file.head.length);
      if (wanted.length > 0) file.head = Buffer.concat([file.head, wanted]);
      onFile(field, piece);
    };
  }
}

function boundaryOf(contentType: string): string | undefined {
  const found = /^multipart\/form-data\b.*;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  return found?.[1] ?? found?.[2];
}

const textsOf = (texts: Map<string, Buffer[]>): Record<string, string> =>
  Object.fromEntries([...texts].map(([name, pieces]) => [name, Buffer.concat(pieces).toString()]));
