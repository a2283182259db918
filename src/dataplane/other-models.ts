/** Finds the models that a JSON body names besides `model`: alternatives, presets, models of tools. */

import { foldName } from "../lib/fold-name.ts";
import { type Member, type Members, valueAt } from "../lib/json-members.ts";

/** Members of a body that can select a model, by what selects it: all of their text, or some members of it. */
const SELECTORS = {
  models: "all",
  fallbacks: "all",
  preset: "all",
  extra_body: "named",
  plugins: "named",
  tools: "named",
  compound_custom: "named",
} as const;

type Selector = keyof typeof SELECTORS;

export const MODEL_SELECTORS = Object.keys(SELECTORS) as Selector[];

/** Reads the values only of a consumer with an allow-list: call it for no other. */
export function otherModels(members: Members<string>): string[] {
  const models: string[] = [];
  for (const name of MODEL_SELECTORS) {
    for (const list of [members.found, members.variants]) {
      for (let member = list.get(name); member; member = member.earlier) {
        const selecting = SELECTORS[name] === "all";
        if (selecting || mayName(members.bytes, member)) {
          collect(valueAt(members.bytes, member), models, selecting && kindOf(name));
        }
      }
    }
  }
  return models;
}

type Selecting = "model" | "preset" | false;

/** `selecting`: what the text found here names. */
function collect(value: unknown, models: string[], selecting: Selecting): void {
  if (typeof value === "string") {
    if (selecting) models.push(selecting === "preset" ? `@preset/${value}` : value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, models, selecting);
  } else if (typeof value === "object" && value !== null) {
    const isFunction = "type" in value && value.type === "function";
    for (const [name, inner] of Object.entries(value)) {
      // The JSON schema of a function describes its parameters and selects nothing.
      if (SCHEMAS.has(name) || (isFunction && name === "parameters")) continue;
      collect(inner, models, selecting || kindOf(name));
    }
  }
}

const SCHEMAS: ReadonlySet<string> = new Set(["function", "input_schema"]);

function kindOf(name: string): Selecting {
  const folded = foldName(name);
  if (folded === "preset") return "preset";
  return SELECTING.test(folded) ? "model" : false;
}

/** `model`, `modelId`, `analysis_models`, `fallbacks`. */
const SELECTING = /(models?(_?id)?|fallbacks)$/;

/** A cheap look before parsing: most tools name no model. */
function mayName(bytes: Uint8Array, { start, end }: Member): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
  return MAY_NAME.test(text);
}

/** A byte beyond ASCII or an escape may be a letter of such a name in another style. */
const MAY_NAME = /model|preset|fallback|\\u|[\x80-\xff]/i;
