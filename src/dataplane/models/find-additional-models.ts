/** Finds the models that a JSON body names besides `model`: fallbacks, presets, models of tools. */
import { AppError } from "../../contract/errors.ts";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { parseStrict } from "../../lib/json/parse-strict.ts";
import { type JsonMember, type MemberScan, parseName } from "../../lib/json/scan-members.ts";
import { foldName } from "../../lib/text/fold-name.ts";
import { readPartType } from "../body/read-part-type.ts";
import { readMembers } from "../objects/find-item-references.ts";

/** Parses members that may name a model, so call it only for consumers whose models are limited. */
export function findAdditionalModels(scan: MemberScan<string>): string[] {
  const models: string[] = [];
  let total = 0;
  for (const member of listMembers(scan)) {
    const name = parseName(scan, member);
    const kind = readBodyKind(name);
    if (kind === "data" || !mayNameModel(scan.bytes, member, kind)) continue;
    const named: string[] = [];
    const { value, values } = parseSelector(scan.bytes, member, name);
    total += values;
    if (total > MAX_VALUES) throw tooManyValues();
    collect(value, named, kind);
    models.push(...(COUNTED.test(foldName(name)) ? named.map(removePrefix) : named));
  }
  return models;
}

/** Lists all members except the model itself, with each one of a repeated name. */
function listMembers({ found, variants, others }: MemberScan<string>): JsonMember[] {
  const members = [...others];
  for (const [name, last] of [...found, ...variants]) {
    if (name === "model" || name === "modelId") continue;
    for (let member: JsonMember | undefined = last; member; member = member.earlier)
      members.push(member);
  }
  return members;
}

/** In a request to count tokens, which Gemini requires to name its model as `models/…` once more. */
const COUNTED = /^generate_?content_?request$/;
const removePrefix = (model: string): string => model.replace(/^models\//, "");

/** Collects the models that the members of a body name. */
export function collectModels(body: object, models: string[]): void {
  for (const [name, value] of Object.entries(body)) collect(value, models, readBodyKind(name));
}

/** Caps parsing of all members, which blocks the event loop: a million names take more than a second. */
const MAX_VALUES = 100_000;

const tooManyValues = (): AppError =>
  new AppError(
    "invalid_request",
    `The members that may name models are made of more than ${MAX_VALUES} values.`,
  );

/** Rejects repeated names, because the upstream may use another one than the gateway checks. */
function parseSelector(bytes: Uint8Array, { start, end }: JsonMember, name: string) {
  const parsed = parseStrict(bytes.subarray(start, end), { maxValues: MAX_VALUES });
  if (parsed.ok) return parsed;
  throw new AppError("invalid_request", `The member ${name} is ${parsed.reason}.`);
}

/** The model of a preset (OpenRouter) or a stored prompt (LiteLLM) is not known: it is allowed by its own name. */
type SelectorKind = "model" | "preset" | "prompt_id";

/**
 * What a member contains: a model in every string, data that selects nothing, content in which only tools select a
 * model, members of tools, or other members. Every member is one of the last kind unless its name says otherwise,
 * because an upstream may merge it into the body, as LiteLLM does `extra_body`.
 */
type ValueKind = SelectorKind | "data" | "content" | "tools" | "members";

function readBodyKind(name: string): ValueKind {
  return BODY_CONTENT.test(name) ? "content" : readKind(name, "members");
}

function readKind(name: string, outer: "members" | "tools"): ValueKind {
  if (DATA.test(name)) return "data";
  const folded = foldName(name);
  if (CONTENT.test(folded)) return "content";
  // Go's encoding/json/v2 can ignore separators in names.
  const plain = folded.replaceAll(/[_-]/g, "");
  if (plain === "preset") return "preset";
  if (plain === "promptid") return "prompt_id";
  if (MODEL_NAME.test(folded) || MODEL_NAME.test(plain)) return "model";
  if (outer === "tools" || TOOLS.test(folded)) return "tools";
  return plain === "engine" ? "model" : "members";
}

/** Search engines and readers of documents are named by `engine`, which elsewhere is LiteLLM's `model` of completions. */
const TOOLS = /tool|plugin|search/;

/** Returns whether a lower-case name is that of a field that selects a model. */
export const selectsModel = (folded: string): boolean => isSelector(readBodyKind(folded));

const isSelector = (kind: ValueKind): kind is SelectorKind =>
  kind === "model" || kind === "preset" || kind === "prompt_id";

function collect(value: unknown, models: string[], kind: ValueKind): void {
  if (kind === "data") return;
  if (typeof value === "string") {
    if (isSelector(kind)) models.push(kind === "model" ? value : `@${kind}/${value}`);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, models, kind);
  } else if (isObject(value)) {
    const isFunction = readPartType(value) === "function";
    for (const [name, inner] of Object.entries(value)) {
      if (isSelector(kind) && AUTO_MODE.test(foldName(name))) models.push(AUTO_ROUTING);
      if (isSelector(kind) && isNumberedId(name, inner)) models.push(String(inner));
      if (isFunction && name === "parameters" && !isSelector(kind)) continue;
      collect(inner, models, readInnerKind(kind, name));
    }
    const hasMembers = kind === "members" || kind === "tools";
    if (hasMembers && choosesModel(value)) models.push(AUTO_ROUTING);
    // Azure reads an agent, which has a model of its own, from `agent` or `agent_reference`.
    if (hasMembers && readWords(value, "type").includes(AGENT))
      models.push(readMembers(value, "name").filter(isName).join());
  }
}

/** llama.cpp numbers its adapters: `lora: [{ id: 0, scale: 1 }]`. */
const isNumberedId = (name: string, value: unknown): boolean =>
  typeof value === "number" && /id$/.test(foldName(name));

/** Returns whether a tool or plugin of OpenRouter calls models of its choice, because it does not name them all. */
function choosesModel(value: JsonObject): boolean {
  const tool = readWords(value, "type").find((type) => DELEGATE.test(type));
  if (tool !== undefined && !isEvery(value, "parameters", (each) => namesModels(each, tool)))
    return true;
  return readWords(value, "id").includes(FUSION) && !namesModels(value, FUSION);
}

/** Returns the values of a keyword in every spelling that a lenient parser accepts. */
const readWords = (value: JsonObject, name: string): string[] =>
  readMembers(value, name)
    .filter(isName)
    .map((word) => word.toLowerCase());
const DELEGATE = /^openrouter:(?!(?:web_search|web_fetch|datetime)$)/;
const FUSION = "fusion";
const AGENT = "agent_reference";

/** The judge of a fusion and its panel have defaults of their own. */
const namesModels = (settings: unknown, kind: string): boolean =>
  isObject(settings) &&
  isEvery(settings, "model", isName) &&
  (!kind.endsWith(FUSION) || isEvery(settings, "analysis_models", isListOfNames));

/** Returns whether a member exists and passes in every spelling. */
function isEvery(value: JsonObject, name: string, test: (member: unknown) => boolean): boolean {
  const members = readMembers(value, name);
  return members.length > 0 && members.every(test);
}

const isName = (value: unknown): value is string => typeof value === "string" && value !== "";
const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isName);

/** Among models, every member is one. In content, such as a message, only the members of tools select a model. */
function readInnerKind(kind: ValueKind, name: string): ValueKind {
  if (kind === "members" || kind === "tools") return readKind(name, kind);
  if (kind !== "content") return kind;
  if (CALL_DATA.test(name)) return "data";
  return foldName(name) === "tools" ? "tools" : kind;
}

/** Schemas and examples of values select nothing, nor does what the caller stores with a request. */
const DATA =
  /(?:[sS]chema|^properties|^\$defs|^definitions|^functions?|^functionDeclarations|^function_declarations|^input_examples|[mM]etadata|^labels)$/;

/** Messages of all formats. A message may add tools to those of the request (OpenAI's `additional_tools`). */
const CONTENT = /^(?:messages|contents|system_?instruction)$/;
/** The same in the body itself, where these names have no other meaning. */
const BODY_CONTENT = /^(?:input|items|prompt|system|instructions|documents|prediction)$/;

/** Arguments and results of tools in messages. */
const CALL_DATA = /^(?:input|args|arguments|response|output|json)$/;

/** The model is not known (Vertex's `routingConfig`, tools of OpenRouter), so it is allowed by a name of its own. */
const AUTO_MODE = /^auto_?mode$/;
const AUTO_ROUTING = "@routing/auto";

/** `model`, `modelId`, `model_list`, `analysis_models`, `fallbacks`; Azure's `deployment_name`, adapters such as SGLang's `lora_path`, Vertex's `routingConfig`, agents of Azure. */
const SELECTOR =
  "models?(?:[_-]?(?:id|name|list|group|path|ur[il]|slug|key|arn|ref)s?)?|model_(?:group_)?alias(?:es|_map)?|fallbacks?|fallback_dict|deployment(?:_?(?:id|name)s?)?|loras?(?:_(?:path|name|request)s?)?|adapters?(?:_ids?)?|(?:routing|model_?selection)_?config|agent_reference";
const MODEL_NAME = new RegExp(`(?:${SELECTOR})$`);

/** Prefilter before parsing: most members name no model. */
function mayNameModel(bytes: Uint8Array, member: JsonMember, kind: ValueKind): boolean {
  if (isSelector(kind)) return true;
  if (member.kind !== "object" && member.kind !== "array") return false;
  const { start, end } = member;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
  return (kind === "content" ? MAY_ADD_TOOLS : MAY_NAME_MODEL).test(text);
}

/** A non-ASCII byte or an escape may encode a letter that folds to ASCII. */
const MAY_NAME_MODEL = new RegExp(
  `(?:${SELECTOR}|preset|prompt_id|engine)"\\s*:|"(?:openrouter:|fusion"|${AGENT}")|\\\\u|[\\x80-\\xff]`,
  "i",
);
/** The same in text, which is rarely ASCII: only in the names of members. */
const MAY_ADD_TOOLS = /tools"\s*:|"(?=\s*:)(?<=(?:\\u|[\x80-\xff])[^"]{0,30}")/i;
