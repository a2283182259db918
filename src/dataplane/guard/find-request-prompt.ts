/** Returns the system prompt of a request, if a rule of the guard compares the response with it. */
import type { Deps } from "../../deps.ts";
import { isObject } from "../../lib/json/json-object.ts";
import { parseStrict } from "../../lib/json/parse-strict.ts";
import { readPayload } from "../../policy/payload/read-payload.ts";
import { readSystemPrompt } from "../../policy/payload/system-prompt.ts";
import { findProgram } from "../../snapshot/find-program.ts";
import type { GuardView } from "../../snapshot/snapshot.ts";
import { MAX_VALUES } from "../body/parse-body.ts";
import type { RoutedRequest } from "../stages.ts";

/** Reads the bytes that were sent upstream, which may be masked. */
export function findRequestPrompt(
  { snapshot, settings, now }: Pick<Deps, "snapshot" | "settings" | "now">,
  { consumer, body }: RoutedRequest,
  { collector_id }: GuardView,
): readonly string[] {
  const collector = snapshot().collectors.get(collector_id);
  const program = collector && findProgram(collector, consumer.id, now);
  const isCompared = program?.rules.output.some((rule) => rule.comparesSystemPrompt);
  if (!isCompared || body.kind !== "json") return [];
  const { bytes } = body.members;
  if (bytes.length > settings.GUARD_BODY_MIB * 1024 * 1024) return [];
  const parsed = parseStrict(bytes, { maxValues: MAX_VALUES });
  if (!parsed.ok || !isObject(parsed.value)) return [];
  return readSystemPrompt(readPayload(parsed.value, REQUEST).segments);
}

const REQUEST = {
  direction: "input",
  protocol: "llm",
  attributes: {},
  is_foreign_body: true,
} as const;
