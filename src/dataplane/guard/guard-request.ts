/** Evaluates a request before it is sent upstream, and sends the masked bytes instead of the client's. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { GuardView } from "../../snapshot/snapshot.ts";
import { parseBody } from "../body/parse-body.ts";
import type { JsonBody } from "../body/request-body.ts";
import { parseJsonRequest, scanJsonBody } from "../models/read-model.ts";
import { findObjectReference } from "../objects/find-object-reference.ts";
import { findReferencedObjects } from "../objects/find-referenced-objects.ts";
import type { RoutedRequest } from "../stages.ts";
import { admitContent, admitUnread } from "./admit-content.ts";
import { findUnreadFiles } from "./find-unread-files.ts";
import { guardForm } from "./guard-form.ts";
import { requestWholeStream } from "./stream/resume-stream.ts";

export function guardRequest(
  deps: Deps,
  routed: RoutedRequest,
  guard: GuardView,
): RoutedRequest | Promise<RoutedRequest> {
  const { body } = routed;
  if (body.kind === "none") return requestWholeStream(routed, guard);
  if (!guard.llm.input) return routed;
  return body.kind === "json"
    ? guardJson(deps, routed, body, guard)
    : guardForm(deps, routed, body, guard);
}

async function guardJson(
  deps: Deps,
  routed: RoutedRequest,
  { members: { bytes } }: JsonBody,
  guard: GuardView,
): Promise<RoutedRequest> {
  const { capability } = routed;
  const { GUARD_BODY_MIB } = deps.settings;
  if (bytes.length > GUARD_BODY_MIB * 1024 * 1024) {
    await admitUnread(deps, routed, guard, `The body exceeds ${GUARD_BODY_MIB} MiB.`);
    return routed;
  }
  const { isRepaired, ...content } = readContent(routed, bytes);
  const masked = await admitContent(deps, routed, guard, content);
  // What the guard has read is sent, so that the upstream cannot read the client's bytes differently.
  const sent = masked ?? (isRepaired ? content.text : null);
  if (sent === null) return routed;
  const members = scanJsonBody(Buffer.from(sent), capability);
  const changed = { ...routed, ...parseJsonRequest(routed, members, capability) };
  checkRouting(routed, changed);
  return changed;
}

/** Larger bodies wait for their evaluation as text, and are parsed again: values take up to 40 times as much memory. */
const MAX_PARSED_BYTES = 8 * 1024;

function readContent(routed: RoutedRequest, bytes: Uint8Array) {
  const { text, value, isRepaired } = parseBody(bytes, { dropsRepeated: true });
  // scanJsonBody accepts only an object.
  const payload = value as Record<string, unknown>;
  const unread = findUnreadFiles(routed, payload, "input_file_id");
  const isLarge = bytes.length > MAX_PARSED_BYTES;
  return { text, is_foreign_body: true, unread, isRepaired, ...(isLarge ? {} : { payload }) };
}

/** Rejects a mask of a name that routing has checked: the upstream would get another one. */
function checkRouting(before: RoutedRequest, after: RoutedRequest): void {
  if (describeRouting(before) === describeRouting(after)) return;
  const text =
    "The policy masks the model or the id of a stored object of this request. Send names without personal data or secrets.";
  throw new AppError("guard_blocked", text);
}

const describeRouting = (routed: RoutedRequest): string => {
  const { model, additional_models, batch_models, consumer, body } = routed;
  const hasOwnFiles = consumer.files_scope === "own" && body.kind === "json";
  const files = hasOwnFiles ? findReferencedObjects(body.members.bytes) : [];
  const reference = findObjectReference(body);
  return JSON.stringify([model, additional_models, batch_models, files, reference]);
};
