/** `/v1/files`: stores uploads in memory up to a limit and evicts the oldest files beyond it. */
import type { BunRequest } from "bun";
import { z } from "zod";
import { readForm } from "./form.ts";
import { type DemoOptions, errorResponse, unixSeconds, validate } from "./wire.ts";

const MAX_STORED_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 1000;

const UploadFields = z.object({ purpose: z.string().min(1) });
/** Anthropic uploads have no purpose. */
const AnthropicFields = z.object({ purpose: z.string().default("user_data") });
const ListQuery = z.object({
  purpose: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(10_000),
  after: z.string().optional(),
  order: z.enum(["asc", "desc"]).default("desc"),
});

interface DemoFile {
  id: string;
  filename: string;
  type: string;
  bytes: number;
  created: Date;
  purpose: string;
  /** false: the limit was reached, and only the size was recorded. */
  kept: boolean;
}

interface StoredFile {
  file: DemoFile;
  /** Missing if the file exceeds the limit: only its size was recorded. */
  content: Blob | undefined;
}

export interface Files {
  upload(request: Request): Promise<Response>;
  list(request: Request): Response;
  find(request: BunRequest<"/v1/files/:id">): Response;
  content(request: BunRequest<"/v1/files/:id/content">): Response;
  remove(request: BunRequest<"/v1/files/:id">): Response;
}

export function createFiles(options: DemoOptions): Files {
  const files = new Map<string, StoredFile>(); // oldest first
  let storedBytes = 0; // includes uploads in progress, so that concurrent uploads stay within the limit

  return { upload, list, find, content, remove };

  async function upload(request: Request): Promise<Response> {
    const pieces: Buffer<ArrayBuffer>[] = [];
    let held = 0;
    // An upload that is known to be too large evicts no other file.
    let tooLarge = Number(request.headers.get("content-length")) > MAX_STORED_BYTES;
    const release = () => {
      storedBytes -= held;
      held = 0;
      pieces.length = 0;
    };
    const keep = (field: string, piece: Buffer) => {
      if (field !== "file" || tooLarge) return;
      if (!makeRoom(piece.length)) {
        tooLarge = true;
        release();
        return;
      }
      held += piece.length;
      storedBytes += piece.length;
      pieces.push(Buffer.from(piece));
    };
    // A failure before the file is in the list releases its bytes.
    try {
      const form = await readForm(request, keep);
      if (form instanceof Response) return form;
      const sent = form.files.find(({ field }) => field === "file");
      if (!sent) return errorResponse(400, "Missing required parameter: 'file'.", "file");
      const fields = validate(form.fields, isAnthropic(request) ? AnthropicFields : UploadFields);
      if (fields instanceof Response) return fields;
      const { filename, type, bytes } = sent;
      const created = options.now();
      const kept = !tooLarge;
      const id = `file-${options.newId()}`;
      const file = { id, filename, type, bytes, created, purpose: fields.purpose, kept };
      files.set(file.id, { file, content: tooLarge ? undefined : new Blob(pieces) });
      held = 0;
      if (files.size > MAX_FILES) dropOldest();
      return Response.json(renderFile(request, file));
    } finally {
      release();
    }
  }

  function makeRoom(bytes: number): boolean {
    while (storedBytes + bytes > MAX_STORED_BYTES && files.size > 0) dropOldest();
    return storedBytes + bytes <= MAX_STORED_BYTES;
  }

  function dropOldest() {
    const [oldest = ""] = files.keys();
    drop(oldest);
  }

  function drop(id: string): boolean {
    storedBytes -= files.get(id)?.content?.size ?? 0;
    return files.delete(id);
  }

  function list(request: Request): Response {
    const query = validate(Object.fromEntries(new URL(request.url).searchParams), ListQuery);
    if (query instanceof Response) return query;
    const { purpose, order, after, limit } = query;
    const all = [...files.values()].map(({ file }) => file);
    const ordered = order === "asc" ? all : all.reverse();
    const matching = ordered.filter((file) => purpose === undefined || file.purpose === purpose);
    const start = after === undefined ? 0 : matching.findIndex(({ id }) => id === after) + 1;
    // Starting over would make a paging client loop.
    if (after !== undefined && start === 0) {
      return errorResponse(400, `after: no file '${after}' in this list.`, "after");
    }
    const page = matching.slice(start, start + limit);
    return Response.json({
      ...(isAnthropic(request) ? {} : { object: "list" }),
      data: page.map((file) => renderFile(request, file)),
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
      has_more: start + page.length < matching.length,
    });
  }

  function find(request: BunRequest<"/v1/files/:id">): Response {
    const { id } = request.params;
    const kept = files.get(id);
    return kept ? Response.json(renderFile(request, kept.file)) : notFound(id);
  }

  function content({ params: { id } }: BunRequest<"/v1/files/:id/content">): Response {
    const kept = files.get(id);
    if (!kept) return notFound(id);
    if (!kept.content) return errorResponse(404, NOT_STORED, "id", "content_not_kept");
    return new Response(kept.content, { headers: { "content-type": "application/octet-stream" } });
  }

  function remove(request: BunRequest<"/v1/files/:id">): Response {
    const { id } = request.params;
    if (!drop(id)) return notFound(id);
    const deleted = isAnthropic(request)
      ? { type: "file_deleted" }
      : { object: "file", deleted: true };
    return Response.json({ id, ...deleted });
  }
}

/** Only clients of Anthropic's API send this header. */
const isAnthropic = ({ headers }: Request): boolean => headers.has("anthropic-version");

function renderFile(request: Request, file: DemoFile): object {
  const { id, filename, type, bytes, created, purpose, kept } = file;
  if (isAnthropic(request)) {
    const created_at = created.toISOString();
    const about = { filename, mime_type: type, size_bytes: bytes, created_at };
    return { id, type: "file", ...about, downloadable: kept };
  }
  return {
    id,
    object: "file",
    bytes,
    created_at: unixSeconds(created),
    expires_at: null,
    filename,
    purpose,
    status: kept ? "processed" : "error",
    status_details: kept ? null : NOT_STORED,
  };
}

const NOT_STORED = "The content was not stored: the demo stores at most 64 MiB in memory.";

const notFound = (id: string): Response => errorResponse(404, `No such File object: ${id}`, "id");
