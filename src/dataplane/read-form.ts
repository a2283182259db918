/** Reads the `model` of a form wherever it stands; the form itself goes upstream untouched (spec 4.4, 4.5). */
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { freeBytes } from "../lib/free-bytes.ts";
import { boundaryOf, createMultipartScan, type MultipartScan } from "../lib/multipart-scan.ts";
import { createSpool, type Spool } from "../lib/spool.ts";
import type { FormBody } from "./request-body.ts";
import type { Known } from "./stages.ts";
import { holding, openUpload, type Upload, uploadLimits } from "./upload.ts";

export interface ReadForm {
  body: FormBody;
  model: string | undefined;
}

/** This much waits in memory for a `model` that comes late, the rest in a nameless file. */
const MEMORY_BYTES = 1024 * 1024;

/** For forms that have no model (files): nothing is looked at, nothing is held. */
export function passForm(deps: Deps, known: Known): FormBody {
  const { content_type } = formType(known.request);
  const upload = openUpload(known, uploadLimits(deps, known.endpoint.form_cap));
  return streamed(content_type, upload, undefined);
}

/**
 * A pin may stand in the form of any consumer, so nothing is sent before the model is known. It usually
 * comes first: then the rest streams through. Where it trails the file, the form waits in a spool.
 */
export async function readForm(deps: Deps, known: Known): Promise<ReadForm> {
  const { content_type, boundary } = formType(known.request);
  const upload = openUpload(known, uploadLimits(deps, known.endpoint.form_cap));
  const scan = createMultipartScan(boundary, "model");
  const hold = holding(deps, known);
  const spool = createSpool({
    dir: join(deps.settings.PORTCULLIS_DATA_DIR, "spool"),
    memoryLimit: MEMORY_BYTES,
  });
  known.run.releases.push(() => void spool[Symbol.asyncDispose]());

  for (let chunk = await upload.next(); chunk; chunk = await upload.next()) {
    scan.push(chunk);
    check(scan);
    hold(chunk.length);
    await spool.append(chunk);
    if (scan.value !== undefined && spool.size <= MEMORY_BYTES) {
      return { body: streamed(content_type, upload, { spool, scan }), model: scan.value.trim() };
    }
  }
  scan.end();
  check(scan);
  const { size: length } = spool;
  return {
    body: { kind: "form", content_type, length, spent: () => false, stream: () => spool.stream() },
    model: scan.value?.trim(),
  };
}

function formType(request: Request): { content_type: string; boundary: string } {
  const content_type = request.headers.get("content-type") ?? "";
  const boundary = boundaryOf(content_type);
  if (boundary !== undefined) return { content_type, boundary };
  const text = "Send a form: Content-Type: multipart/form-data with a boundary.";
  throw new AppError("invalid_request", text);
}

/** What was read while looking for the model, then the client's body as it comes. */
function streamed(
  content_type: string,
  upload: Upload,
  begun: { spool: Spool; scan: MultipartScan } | undefined,
): FormBody {
  let spent = false;
  const stream = () => {
    const head = begun?.spool.stream().getReader();
    let sent: Uint8Array<ArrayBuffer> | undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          const kept = await head?.read();
          if (kept?.value) return controller.enqueue(kept.value);
          const before = spent;
          spent = true; // whoever is asked meanwhile must not count on what comes now
          if (sent) freeBytes(sent); // who asks for the next chunk has taken the one before
          const chunk = await upload.next();
          spent = before || chunk !== undefined;
          // A second `model`, or an end that is none: the upstream must not get to see it as whole.
          if (chunk) begun?.scan.push(chunk);
          else begun?.scan.end();
          if (begun) check(begun.scan);
          sent = chunk;
          if (chunk) controller.enqueue(chunk);
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  };
  return { kind: "form", content_type, length: upload.length, spent: () => spent, stream };
}

function check({ problem }: MultipartScan): void {
  if (problem !== undefined) {
    throw new AppError("invalid_request", `The form is malformed: ${problem}.`);
  }
}
