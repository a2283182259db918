/** Reads the `model` of a form at any position; the form itself goes upstream untouched (spec 4.4, 4.5). */
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { declaresOtherCharset, readBoundary } from "../lib/multipart/content-type.ts";
import { createFieldScan, type FieldScan } from "../lib/multipart/scan-field.ts";
import { splicedLength, spliceStream } from "../lib/streams/splice-stream.ts";
import { createSpool, releaseBuffer, type Spool } from "../lib/streams/spool.ts";
import { MODEL_SELECTORS } from "./find-additional-models.ts";
import { isAuto } from "./model-reference.ts";
import { createByteReservation, openUpload, type Upload, uploadLimits } from "./open-upload.ts";
import type { FormBody } from "./request-body.ts";
import type { AuthenticatedRequest } from "./stages.ts";

export interface FormWithModel {
  body: FormBody;
  model: string | undefined;
}

/** Caps what waits in memory for a `model` that comes late; the rest waits in a nameless file. */
const MEMORY_BYTES = 1024 * 1024;

/** For forms that have no model (files): not scanned, not held. */
export function streamFormBody(deps: Deps, authenticated: AuthenticatedRequest): FormBody {
  const { content_type } = readFormType(authenticated.request);
  const upload = openUpload(authenticated, uploadLimits(deps, authenticated.endpoint.form_cap));
  return createStreamedForm(content_type, upload, undefined);
}

/**
 * The form of any consumer may hold a pin, so nothing is sent before the model is authenticated. It usually
 * comes first: then the rest streams through. Where it follows the file, the form waits in a spool.
 */
export async function readFormBody(
  deps: Deps,
  authenticated: AuthenticatedRequest,
): Promise<FormWithModel> {
  const { content_type, boundary } = readFormType(authenticated.request);
  if (declaresOtherCharset(content_type)) {
    throw new AppError("invalid_request", "Content-Type: the charset of a form must be utf-8.");
  }
  const upload = openUpload(authenticated, uploadLimits(deps, authenticated.endpoint.form_cap));
  const scan = createFieldScan(boundary, {
    name: "model",
    forbidden: listForbiddenFields(authenticated),
  });
  const hold = createByteReservation(deps, authenticated);
  const spool = createSpool({
    dir: join(deps.settings.PORTCULLIS_DATA_DIR, "spool"),
    memoryLimit: MEMORY_BYTES,
  });
  authenticated.progress.cleanups.push(() => void spool[Symbol.asyncDispose]());

  let model: string | undefined;
  for (let chunk = await upload.next(); chunk; chunk = await upload.next()) {
    scan.push(chunk);
    checkScan(scan);
    // One chunk later than the model is authenticated: a form that is over by then was checked to its end.
    if (isFinalModel(model) && spool.size <= MEMORY_BYTES) {
      return {
        body: createStreamedForm(content_type, upload, { spool, scan, next: chunk }),
        model,
      };
    }
    hold(chunk.length);
    await spool.append(chunk);
    model = scan.value?.trim();
  }
  scan.end();
  checkScan(scan);
  const { size: length } = spool;
  const stream = () => spool.stream();
  const body: FormBody = { kind: "form", content_type, length, spent: () => false, stream };
  if (isFinalModel(model)) return { body, model };
  const withModel = (fallback: string) => {
    const edits = buildModelEdits(scan, boundary, fallback);
    return { length: splicedLength(length, edits), stream: () => spliceStream(stream(), edits) };
  };
  return { body: { ...body, withModel }, model };
}

/** Whether the form is sent with the model it names. */
const isFinalModel = (model: string | undefined): boolean => model !== undefined && !isAuto(model);

/** Fields that could change how names are read, select a model, or refer to a file, none of it checked. */
function listForbiddenFields({ consumer }: AuthenticatedRequest): readonly string[] {
  const limited = consumer.registries.some(({ models }) => models.allowed);
  return [
    ...["_charset_", "modelid"],
    ...(limited ? MODEL_SELECTORS : []),
    ...(consumer.files_scope === "own" ? ["file_id", "file_ids"] : []),
  ];
}

/** Replaces the value of each `model` field, or adds the field at the end of the form. */
function buildModelEdits({ ranges, closes_at = 0 }: FieldScan, boundary: string, model: string) {
  if (ranges.length > 0) return ranges.map((range) => ({ ...range, put: Buffer.from(model) }));
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n`;
  return [{ from: closes_at, to: closes_at, put: Buffer.from(`${head}${model}\r\n`) }];
}

function readFormType(request: Request): { content_type: string; boundary: string } {
  const content_type = request.headers.get("content-type") ?? "";
  const boundary = readBoundary(content_type);
  if (boundary !== undefined) return { content_type, boundary };
  const text = "Send a form: Content-Type: multipart/form-data with one boundary.";
  throw new AppError("invalid_request", text);
}

interface Begun {
  spool: Spool;
  scan: FieldScan;
  /** Read and scanned, but not in the spool. */
  next: Uint8Array<ArrayBuffer>;
}

/**
 * Streams what was read while looking for the model, then the client's body as it comes, one chunk
 * behind: the last chunk is sent only when the whole form was checked.
 */
function createStreamedForm(
  content_type: string,
  upload: Upload,
  begun: Begun | undefined,
): FormBody {
  let spent = false;
  let held = begun?.next;
  const stream = () => {
    const head = begun?.spool.stream().getReader();
    let sent: Uint8Array<ArrayBuffer> | undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          const kept = await head?.read();
          if (kept?.value) return controller.enqueue(kept.value);
          spent = true; // before the wait: another attempt must not count on the rest of the body
          if (sent) releaseBuffer(sent); // pulling means that the chunk before was taken
          const chunk = await upload.next();
          if (begun) checkNextChunk(begun.scan, chunk);
          sent = begun ? held : chunk;
          held = chunk;
          if (sent) controller.enqueue(sent);
          if (!chunk) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  };
  return { kind: "form", content_type, length: upload.length, spent: () => spent, stream };
}

/** Rejects a second `model` or a missing end before the upstream has the whole form. */
function checkNextChunk(scan: FieldScan, chunk: Uint8Array | undefined): void {
  if (chunk) scan.push(chunk);
  else scan.end();
  checkScan(scan);
}

function checkScan({ problem }: FieldScan): void {
  if (problem !== undefined) {
    throw new AppError("invalid_request", `The form is malformed: ${problem}.`);
  }
}
