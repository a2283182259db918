/** Resolves the fields of an evaluation that conditions and Activity read, by name. */
import { CONDITION_FIELDS } from "../contract/guard/conditions.ts";
import type { FactLookup } from "../policy/condition.ts";
import type { ExtractedEvaluation } from "./stages.ts";

const ARGUMENT = "tool.arguments.";

export function createFacts(
  evaluation: Pick<
    ExtractedEvaluation,
    "collector" | "request" | "payload" | "session_id" | "protocol" | "direction"
  >,
): FactLookup {
  const { collector, request, payload } = evaluation;
  const readAttribute = (name: string) =>
    request.attributes && findAttribute(request.attributes, name);
  return (field) => {
    switch (field) {
      case "consumer.id":
        return request.consumer_id;
      case "session.id":
        return evaluation.session_id;
      case "protocol":
        return evaluation.protocol;
      case "direction":
        return evaluation.direction;
      case "collector.id":
        return collector.id;
      case "collector.type":
        return readAttribute(field) ?? collector.type;
      case "model.name":
        return readAttribute(field) ?? payload.model;
      case "tool.name":
        return payload.tool.name;
      case "tool.command":
        return payload.tool.command;
      case "tool.arguments":
        return payload.tool.arguments;
    }
    return field.startsWith(ARGUMENT)
      ? findMember(payload.tool.arguments, field.slice(ARGUMENT.length))
      : readAttribute(field);
  };
}

/** Accepts both `{"source": {"application": …}}` and `{"source.application": …}`. */
function findAttribute(attributes: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(attributes, name) ? attributes[name] : findMember(attributes, name);
}

function findMember(value: unknown, path: string): unknown {
  let current = value;
  for (const name of STEPS.get(path) ?? path.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, name)) {
      return undefined;
    }
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** Steps of the fields that every event stores. */
const STEPS = new Map(CONDITION_FIELDS.map((field) => [field as string, field.split(".")]));

/** Returns the application that sent the request; several may share one collector. */
export function readApplication(facts: FactLookup): string | null {
  const name = facts("source.application");
  return typeof name === "string" && name !== "" ? truncateName(name) : null;
}

/** Caps attributes of events: hooks of coding agents put whole transcripts into attributes. */
const MAX_NAME_CHARACTERS = 256;

/** Returns the attributes that are stored with an event: those that conditions can name, without content. */
export function selectAttributes(facts: FactLookup): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const field of STORED_FIELDS) {
    const value = facts(field);
    if (typeof value === "string" && value !== "") attributes[field] = truncateName(value);
  }
  return attributes;
}

const STORED_FIELDS = CONDITION_FIELDS.filter(
  (field) =>
    !/^(tool\.(command|arguments)|direction|protocol|(consumer|session|collector)\.id)$/.test(
      field,
    ),
);

/** Removes NUL, which Postgres cannot store. */
export const truncateName = (text: string): string =>
  text.replaceAll("\0", "").slice(0, MAX_NAME_CHARACTERS);
