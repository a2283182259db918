/** What conditions can ask about an evaluation, by field name. */
import { CONDITION_FIELDS } from "../contract/conditions.ts";
import type { Direction, EvaluateRequest, Protocol } from "../contract/evaluate.ts";
import type { FactLookup } from "../policy/condition.ts";
import type { Payload } from "../policy/payload/payload.ts";
import type { PolicySelection } from "./worker/evaluation-host.ts";

export interface Known extends Pick<PolicySelection, "collector" | "keyring"> {
  request: EvaluateRequest;
  /** The JSON text of `request`. */
  body: string;
  direction: Direction;
  protocol: Protocol;
  session_id: string;
  payload: Payload;
}

export function createFacts(known: Known): FactLookup {
  const { collector, request, payload } = known;
  const attribute = (name: string) => attributeOf(request.attributes ?? {}, name);
  return (field) => {
    switch (field) {
      case "consumer.id":
        return request.consumer_id;
      case "session.id":
        return known.session_id;
      case "protocol":
        return known.protocol;
      case "direction":
        return known.direction;
      case "collector.id":
        return collector.id;
      case "collector.type":
        return attribute(field) ?? collector.type;
      case "model.name":
        return attribute(field) ?? payload.model;
      case "tool.name":
        return payload.tool.name;
      case "tool.command":
        return payload.tool.command;
      case "tool.arguments":
        return payload.tool.arguments;
    }
    const inner = /^tool\.arguments\.(.+)$/.exec(field)?.[1];
    return inner === undefined ? attribute(field) : memberAt(payload.tool.arguments, inner);
  };
}

/** Clients send `{"source": {"application": …}}` and `{"source.application": …}`. */
function attributeOf(attributes: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(attributes, name) ? attributes[name] : memberAt(attributes, name);
}

function memberAt(value: unknown, path: string): unknown {
  let current = value;
  for (const name of path.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, name)) {
      return undefined;
    }
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** Which of several services that share a collector sent it. */
export function readApplication(known: Known): string | null {
  const name = createFacts(known)("source.application");
  return typeof name === "string" && name !== "" ? truncateName(name) : null;
}

/** Long enough for any name; the hooks of coding agents put whole transcripts into attributes. */
const MAX_CHARACTERS = 256;

/** The attributes that Activity keeps: those that conditions can name, and none of their content. */
export function selectAttributes(facts: FactLookup): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const field of KEPT) {
    const value = facts(field);
    if (typeof value === "string" && value !== "") kept[field] = truncateName(value);
  }
  return kept;
}

const KEPT = CONDITION_FIELDS.filter(
  (field) =>
    !/^(tool\.(command|arguments)|direction|protocol|(consumer|session|collector)\.id)$/.test(
      field,
    ),
);

/** Postgres stores no NUL, and a name that is longer is none. */
export const truncateName = (text: string): string =>
  text.replaceAll("\0", "").slice(0, MAX_CHARACTERS);
