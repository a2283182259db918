/** Evaluates the text fields of a form, the names of its files, and uploaded files if a rule reads them. */
import { AppError } from "../../contract/errors.ts";
import { OBJECT_CAPABILITIES } from "../../contract/gateway/registries.ts";
import type { Deps } from "../../deps.ts";
import type { CoveredText } from "../../evaluation.ts";
import { escapePointerStep } from "../../lib/json/parse-strict.ts";
import { readBoundary } from "../../lib/multipart/content-type.ts";
import {
  createPartScan,
  type FilePart,
  type PartScan,
  type TextField,
} from "../../lib/multipart/scan-parts.ts";
import type { StreamEdit } from "../../lib/streams/splice-stream.ts";
import type { GuardView } from "../../snapshot/snapshot.ts";
import type { FormBody } from "../body/request-body.ts";
import type { RoutedRequest } from "../stages.ts";
import { admitContent, admitUnread } from "./admit-content.ts";

const MAX_TEXT_BYTES = 1024 * 1024;
/** As much as an evaluation reads of documents. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

export async function guardForm(
  deps: Deps,
  routed: RoutedRequest,
  body: FormBody,
  guard: GuardView,
): Promise<RoutedRequest> {
  // Only a file upload that no rule reads is not buffered.
  if (!body.withChanges) return await admitUnopened(deps, routed, guard);
  const isUpload = OBJECT_CAPABILITIES.has(routed.capability);
  const boundary = readBoundary(body.content_type) ?? "";
  const scan = await scanForm(body, boundary, isUpload ? MAX_FILE_BYTES : 0);
  if (scan.truncated) {
    await admitUnread(deps, routed, guard, `The files exceed ${MAX_FILE_BYTES} bytes.`);
  }
  const files = isUpload && !scan.truncated ? scan.files : [];
  const media = files === scan.files ? [] : scan.files;
  const covered = media.map(describeFile);
  const unread = media.map(({ name }) => ({
    pointer: `/files/${escapePointerStep(name)}`,
    reason: "media" as const,
  }));
  // Routing has checked the model, and sends the one it chose.
  const texts = scan.texts.filter(({ name }) => isUpload || name !== "model");
  // Gates also apply to a form whose only content is a file that no rule reads.
  if (isUpload && texts.length === 0 && files.length === 0) return routed;
  const payload = { fields: toMembers(texts), ...toNames(media), ...toAttachments(files) };
  const text = JSON.stringify(payload);
  const is_foreign_body = files.length === 0;
  const content = { payload, text, is_foreign_body, covered, unread };
  const masked = await admitContent(deps, routed, guard, content);
  if (masked === null) return routed;
  // The rewritten payload has the members of the original one.
  const { fields, files: names } = JSON.parse(masked) as typeof payload;
  if (JSON.stringify(names) !== JSON.stringify(payload.files)) {
    throw new AppError("guard_blocked", MASKED_NAME);
  }
  const changes = buildChanges(texts, fields, boundary);
  return { ...routed, body: body.withChanges(changes) };
}

/** Evaluates an upload whose form no rule reads: it is recorded, and a rule or gate may block it. */
async function admitUnopened(
  deps: Deps,
  routed: RoutedRequest,
  guard: GuardView,
): Promise<RoutedRequest> {
  const unread = [{ pointer: "", reason: "not_opened" as const, detail: UNOPENED }];
  // An approval covers only this request, because its form is not known.
  const covered = [{ pointer: "/request/id", text: routed.context.trace_id }];
  const content = { payload: {}, text: "{}", is_foreign_body: true, covered, unread };
  await admitContent(deps, routed, guard, content);
  return routed;
}
const UNOPENED = "uploads are opened if a rule reads attachments";

const MASKED_NAME =
  "The policy masks the name of a file. Send files whose names have no personal data or secrets.";

async function scanForm(body: FormBody, boundary: string, maxFileBytes: number): Promise<PartScan> {
  const textOnly = ["prompt"];
  const scan = createPartScan(boundary, { maxTextBytes: MAX_TEXT_BYTES, maxFileBytes, textOnly });
  for await (const chunk of body.stream()) scan.push(chunk);
  scan.end();
  if (scan.problem === undefined) return scan;
  throw new AppError("invalid_request", `The form is malformed: ${scan.problem}.`);
}

/** Returns the values of each name in order, because a form may repeat one. */
function toMembers(texts: readonly Pick<TextField, "name" | "value">[]): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of texts) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}

/** Returns the names of files that are not part of the payload. */
function toNames(files: readonly FilePart[]): { files?: Record<string, string[]> } {
  if (files.length === 0) return {};
  return { files: toMembers(files.map((file) => ({ name: file.name, value: nameFile(file) }))) };
}

function toAttachments(files: readonly FilePart[]): { attachments?: object[] } {
  if (files.length === 0) return {};
  const attachments = files.map(({ parameters, content_type, bytes }) => ({
    filename: trimParameters(parameters),
    content_type,
    data: bytes.toString("base64"),
  }));
  return { attachments };
}

const trimParameters = (parameters: string): string => parameters.replace(/^[;\s]+/, "");

/** Returns the name of a file, with everything unusual in the header block of its part. The line breaks separate it from a prompt. */
const nameFile = ({ parameters, content_type }: FilePart): string => {
  const name = trimParameters(parameters).replace(/^filename="([^"\\]*)"$/, "$1");
  const isOrdinary = /^[\w.+-]+\/[\w.+-]+$|^$/.test(content_type ?? "");
  return `\n${isOrdinary ? name : `${name}; ${content_type}`}\n`;
};

/** Describes a file that is not part of the payload. */
const describeFile = (
  { name, parameters, content_type, digest }: FilePart,
  index: number,
): CoveredText => ({
  pointer: `/request/files/${index}`,
  text: [name, trimParameters(parameters), content_type ?? "", `SHA-256 ${digest}`].join(", "),
});

function buildChanges(
  texts: readonly TextField[],
  masked: Record<string, string[]>,
  boundary: string,
): StreamEdit[] {
  const left = new Map(Object.entries(masked).map(([name, values]) => [name, [...values]]));
  return texts.flatMap(({ name, value, from, to }) => {
    const put = left.get(name)?.shift() ?? value;
    if (put === value) return [];
    // A mask that completes a delimiter would add a part that was not checked.
    if (put.includes(`--${boundary}`)) throw new AppError("guard_blocked");
    return [{ from, to, put: Buffer.from(put) }];
  });
}
