/** Reads the `model` of a request: absent, any default, a name, or a name at one provider. */
import { AppError } from "../../contract/errors.ts";

export type ModelReference =
  /** No model was sent: the registry's default is used. */
  | { kind: "absent" }
  /** `auto`: the default of any registry. */
  | { kind: "auto" }
  | { kind: "named"; model: string }
  /** `@provider/model`. */
  | { kind: "pinned"; provider: string; model: string }
  /** Not a string, or empty: sent unchanged, unless the registry has an allow-list or a map. */
  | { kind: "opaque" };

export function parseModelReference(value: unknown): ModelReference {
  if (value === undefined) return ABSENT;
  if (typeof value !== "string" || value === "") return OPAQUE;
  if (value.charCodeAt(0) === AT) return parsePinnedModel(value);
  return isAuto(value) ? AUTO : { kind: "named", model: value };
}

export const isAuto = (model: string): boolean =>
  model.length === 4 && model.toLowerCase() === "auto";

/** Returns the provider of `@provider`, trimmed and in lower case; undefined if it is malformed. */
export function parseProviderName(text: string): string | undefined {
  const name = text.trim().toLowerCase();
  return /^[a-z0-9_-]+$/.test(name) ? name : undefined;
}

function parsePinnedModel(text: string): ModelReference {
  // The model may contain slashes: `@openrouter/vendor/name`.
  const slash = text.indexOf("/");
  const provider = slash < 0 ? undefined : parseProviderName(text.slice(1, slash));
  const model = text.slice(slash + 1);
  if (provider === undefined || model === "") {
    throw new AppError("invalid_model", "model: a pin must have the form @provider/model.", {
      details: { param: "model" },
    });
  }
  return { kind: "pinned", provider, model };
}

const AT = 0x40;
const ABSENT: ModelReference = { kind: "absent" };
const AUTO: ModelReference = { kind: "auto" };
const OPAQUE: ModelReference = { kind: "opaque" };
