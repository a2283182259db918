/** Finds the models that a JSON body names besides `model`: fallbacks, presets, models of tools. */
import { AppError } from "../../contract/errors.ts";
import { parseStrict } from "../../lib/json/parse-strict.ts";
import type { JsonMember, MemberScan } from "../../lib/json/scan-members.ts";
import { foldName } from "../../lib/text/fold-name.ts";
import { readPartType } from "../body/read-part-type.ts";

/** Body members, in lower case, that can select a model. In the first three lines every string is a model. */
export const MODEL_SELECTORS = [
  ...["models", "fallbacks", "context_window_fallbacks", "content_policy_fallbacks", "preset"],
  ...["context_window_fallback_dict", "deployment_id", "prompt_id", "model_id"],
  ...["safety_model", "draft_model"],
  ...["extra_body", "plugins", "tools", "compound_custom", "data_sources", "provideroptions"],
  ...["model_list", "user_config", "router_settings_override"],
  ...["generationconfig", "generation_config"],
  ...["generatecontentrequest", "generate_content_request"],
];

/** Parses the selecting members, so call it only for consumers whose models are limited. */
export function findAdditionalModels(members: MemberScan<string>): string[] {
  const { bytes, found, variants } = members;
  const models: string[] = [];
  for (const name of MODEL_SELECTORS) {
    const kind = readSelectorKind(name);
    for (const list of [found, variants]) {
      for (let member = list.get(name); member; member = member.earlier) {
        if (kind || mayNameModel(bytes, member)) {
          const named: string[] = [];
          collect(parseSelector(bytes, member, name), named, kind);
          models.push(...(COUNTED.test(name) ? named.map(removePrefix) : named));
        }
      }
    }
  }
  return models;
}

/** In a request to count tokens, which Gemini requires to name its model as `models/…` once more. */
const COUNTED = /^generate_?content_?request$/;
const removePrefix = (model: string): string => model.replace(/^models\//, "");

/** Collects the models that the value of a selecting member names. */
export const collectModels = (value: unknown, models: string[], name: string): void =>
  collect(value, models, readSelectorKind(name));

/** Caps parsing, which blocks the event loop: a million names take more than a second. */
const MAX_VALUES = 100_000;

/** Rejects repeated names, because the upstream may use another one than the gateway checks. */
function parseSelector(bytes: Uint8Array, { start, end }: JsonMember, name: string): unknown {
  const parsed = parseStrict(bytes.subarray(start, end), MAX_VALUES);
  if (parsed.ok) return parsed.value;
  throw new AppError("invalid_request", `The member ${name} is ${parsed.reason}.`);
}

/** The model of a preset (OpenRouter) or a stored prompt (LiteLLM) is not known: it is allowed by its own name. */
type SelectorKind = "model" | "preset" | "prompt_id" | false;

/** Collects models: all strings in `value` if it has a `kind`, else those of members that select a model. */
function collect(value: unknown, models: string[], kind: SelectorKind): void {
  if (typeof value === "string") {
    if (kind) models.push(kind === "model" ? value : `@${kind}/${value}`);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, models, kind);
  } else if (typeof value === "object" && value !== null) {
    const isFunction = readPartType(value) === "function";
    const isData = (name: string) => DATA.has(name) || (isFunction && name === "parameters");
    for (const [name, inner] of Object.entries(value)) {
      // The JSON schema of a function describes its parameters and selects nothing. Among models, it is a model.
      if (!kind && isData(name)) continue;
      if (kind && AUTO_MODE.test(foldName(name))) models.push(AUTO_ROUTING);
      collect(inner, models, kind || readSelectorKind(name));
    }
  }
}

/** Schemas, and the messages of Gemini. */
const DATA: ReadonlySet<string> = new Set([
  ...["function", "input_schema", "functionDeclarations", "function_declarations"],
  ...["responseSchema", "response_schema", "responseJsonSchema", "response_json_schema"],
  ...["contents", "systemInstruction", "system_instruction"],
]);

/** In Vertex's `routingConfig`: the model is not known, so it is allowed by a name of its own. */
const AUTO_MODE = /^auto_?mode$/;
const AUTO_ROUTING = "@routing/auto";

function readSelectorKind(name: string): SelectorKind {
  const folded = foldName(name);
  if (folded === "preset" || folded === "prompt_id") return folded;
  return MODEL_NAME.test(folded) ? "model" : false;
}

/** `model`, `modelId`, `modelName`, `analysis_models`, `fallbacks`; Azure's `deployment_name`, LiteLLM's `deployment_id`, Vertex's `routingConfig`. */
const MODEL_NAME =
  /(models?(_?(id|name))?|fallbacks|fallback_dict|deployment_(name|id)|routing_?config)$/;

/** Prefilter before parsing: most tools name no model. */
function mayNameModel(bytes: Uint8Array, { start, end }: JsonMember): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
  return MAY_NAME_MODEL.test(text);
}

/** A non-ASCII byte or an escape may encode a letter that folds to ASCII. */
const MAY_NAME_MODEL =
  /(?:models?(?:_?(?:id|name))?|preset|prompt_id|fallbacks|fallback_dict|deployment_(?:name|id)|routing_?config)"\s*:|\\u|[\x80-\xff]/i;
