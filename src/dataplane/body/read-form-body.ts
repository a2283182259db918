/** Reads the `model` of a multipart form at any position; the form is sent upstream unchanged (spec 4.4, 4.5). */
import { join } from "node:path";
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { declaresOtherCharset, readBoundary } from "../../lib/multipart/content-type.ts";
import { createFieldScan, type FieldScan } from "../../lib/multipart/scan-field.ts";
import { type StreamEdit, splicedLength, spliceStream } from "../../lib/streams/splice-stream.ts";
import { createSpool, releaseBuffer, type Spool } from "../../lib/streams/spool.ts";
import { bodyLimits, type IncomingBody } from "../../read-body.ts";
import type { ConsumerView } from "../../snapshot/snapshot.ts";
import { isAuto } from "../models/model-reference.ts";
import type { AuthenticatedRequest } from "../stages.ts";
import { isForbiddenField } from "./is-forbidden-field.ts";
import { getByteReservation, openUpload } from "./open-upload.ts";
import type { FormBody, FormBytes } from "./request-body.ts";

export interface FormWithModel {
  body: FormBody;
  model: string | undefined;
}

/** Caps the bytes buffered in memory until `model` is found; further bytes go to an unlinked file. */
const MAX_MEMORY_BYTES = 1024 * 1024;

/** Streams a form that has no model (files), without scanning or buffering. */
export function streamFormBody(deps: Deps, authenticated: AuthenticatedRequest): FormBody {
  const { content_type } = readFormType(authenticated.request);
  const upload = openUpload(authenticated, bodyLimits(deps, authenticated.endpoint.form_cap));
  return createStreamedForm(content_type, upload, undefined);
}

/** Buffers a form that has no model (files) to its end, because the guard reads its files. */
export async function spoolFormBody(
  deps: Deps,
  authenticated: AuthenticatedRequest,
): Promise<FormBody> {
  const { content_type } = readFormType(authenticated.request);
  const upload = openUpload(authenticated, bodyLimits(deps, authenticated.endpoint.form_cap));
  const { spool, append } = openSpool(deps, authenticated);
  for (let chunk = await upload.next(); chunk; chunk = await upload.next()) await append(chunk);
  return createSpooledForm(content_type, spool);
}

/**
 * Buffers the form until its model is known, because any form may contain a pin. The model usually
 * comes first, and the rest streams through. If it follows the file, or if the guard evaluates the
 * fields, the form is spooled.
 */
export async function readFormBody(
  deps: Deps,
  authenticated: AuthenticatedRequest,
): Promise<FormWithModel> {
  const { consumer, request } = authenticated;
  const { content_type, boundary } = readFormType(request);
  if (declaresOtherCharset(content_type)) {
    throw new AppError("invalid_request", "Content-Type: the charset of a form must be utf-8.");
  }
  const upload = openUpload(authenticated, bodyLimits(deps, authenticated.endpoint.form_cap));
  const scan = createFieldScan(boundary, {
    name: "model",
    // `_charset_` may change how names are decoded.
    isForbidden: (name) =>
      name === "_charset_" || name === "modelid" || isForbiddenField(consumer, name),
  });
  const { spool, append } = openSpool(deps, authenticated);
  const mayStream = !consumer.guard?.llm.input;
  const isFinal = (name: string | undefined) => isFinalModel(name) && !mayRenameModel(consumer);

  let model: string | undefined;
  for (let chunk = await upload.next(); chunk; chunk = await upload.next()) {
    scan.push(chunk);
    checkScan(scan);
    // One chunk after the model is known: a form that has ended by then is already checked to its end.
    if (mayStream && isFinal(model) && spool.size <= MAX_MEMORY_BYTES) {
      return {
        body: createStreamedForm(content_type, upload, { spool, scan, next: chunk }),
        model,
      };
    }
    await append(chunk);
    model = scan.value?.trim();
  }
  scan.end();
  checkScan(scan);
  const toModelEdits = (fallback: string) => buildModelEdits(scan, boundary, fallback);
  const body = createSpooledForm(content_type, spool, isFinal(model) ? undefined : toModelEdits);
  return { body, model };
}

/** Returns a spool that lives until the request ends, and a function that reserves and appends bytes. */
function openSpool(deps: Deps, authenticated: AuthenticatedRequest) {
  const { add: reserve } = getByteReservation(deps, authenticated);
  const spool = createSpool({
    dir: join(deps.settings.PORTCULLIS_DATA_DIR, "spool"),
    memoryLimit: MAX_MEMORY_BYTES,
  });
  authenticated.progress.cleanups.push(() => void spool[Symbol.asyncDispose]());
  const append = async (chunk: Uint8Array<ArrayBuffer>) => {
    reserve(chunk.length);
    await spool.append(chunk);
  };
  return { spool, append };
}

/** `toModelEdits` is set if the form needs a default model. */
function createSpooledForm(
  content_type: string,
  spool: Spool,
  toModelEdits?: (model: string) => StreamEdit[],
  changes: readonly StreamEdit[] = [],
): FormBody {
  const withEdits = (more: readonly StreamEdit[]): FormBytes => {
    const edits = [...changes, ...more].sort((one, other) => one.from - other.from);
    return {
      length: splicedLength(spool.size, edits),
      stream: () => (edits.length > 0 ? spliceStream(spool.stream(), edits) : spool.stream()),
    };
  };
  return {
    kind: "form",
    content_type,
    ...withEdits([]),
    isConsumed: () => false,
    withChanges: (fields) => createSpooledForm(content_type, spool, toModelEdits, fields),
    ...(toModelEdits && { withModel: (model) => withEdits(toModelEdits(model)) }),
  };
}

/** Returns whether the form is sent with the model it names. */
const isFinalModel = (model: string | undefined): boolean => model !== undefined && !isAuto(model);

const mayRenameModel = ({ fallbacks, registries }: ConsumerView): boolean =>
  fallbacks.length > 0 || registries.some(({ models }) => models.map);

/** Replaces the value of each `model` field, or adds the field at the end of the form. */
function buildModelEdits(
  { ranges, closes_at = 0 }: FieldScan,
  boundary: string,
  model: string,
): StreamEdit[] {
  if (ranges.length > 0) return ranges.map((range) => ({ ...range, put: Buffer.from(model) }));
  const header = `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n`;
  return [{ from: closes_at, to: closes_at, put: Buffer.from(`${header}${model}\r\n`) }];
}

function readFormType(request: Request): { content_type: string; boundary: string } {
  const content_type = request.headers.get("content-type") ?? "";
  const boundary = readBoundary(content_type);
  if (boundary !== undefined) return { content_type, boundary };
  const text = "Content-Type must be multipart/form-data with exactly one boundary.";
  throw new AppError("invalid_request", text);
}

interface BufferedStart {
  spool: Spool;
  scan: FieldScan;
  /** Scanned, but not in the spool. */
  next: Uint8Array<ArrayBuffer>;
}

/**
 * Streams the buffered start of the form, then the client's body as it arrives, delayed by one chunk:
 * the last chunk is sent only after the whole form was checked.
 */
function createStreamedForm(
  content_type: string,
  upload: IncomingBody,
  start: BufferedStart | undefined,
): FormBody {
  let isConsumed = false;
  let pending = start?.next;
  const stream = () => {
    const spooled = start?.spool.stream().getReader();
    let sent: Uint8Array<ArrayBuffer> | undefined;
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          const buffered = await spooled?.read();
          if (buffered?.value) return controller.enqueue(buffered.value);
          isConsumed = true; // before the await: another attempt cannot send the rest of the body
          if (sent) releaseBuffer(sent); // a pull means that the previous chunk was read
          const chunk = await upload.next();
          if (start) checkNextChunk(start.scan, chunk);
          sent = start ? pending : chunk;
          pending = chunk;
          if (sent) controller.enqueue(sent);
          if (!chunk) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  };
  return {
    kind: "form",
    content_type,
    length: upload.length,
    isConsumed: () => isConsumed,
    stream,
  };
}

/** Rejects a second `model` or a missing final boundary before the upstream has the whole form. */
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
