/** Estimates the input tokens of a message for models whose registries cannot count them; calls no upstream. */
import { isObject } from "../lib/json/json-object.ts";
import { parseBody } from "./body/parse-body.ts";
import { evaluateRegistry, parsePin, type RoutingCriteria } from "./routing/evaluate-registry.ts";
import type { ParsedRequest } from "./stages.ts";

/** Capabilities by which a registry can generate the message. */
const GENERATING = ["messages", "chat", "responses", "generate_content"] as const;

/** Returns undefined if a registry can count the tokens, or if none may use the model. */
export function estimateTokens(parsed: ParsedRequest): object | undefined {
  const { consumer, capability, model, additional_models, body } = parsed;
  const criteria: Omit<RoutingCriteria, "capability"> = {
    model,
    additional_models,
    pin: parsePin(parsed.pin),
    batch_models: [],
    starts_file_batch: false,
    object_registry_id: undefined,
  };
  const isServed = (name: RoutingCriteria["capability"]) =>
    consumer.registries.some(
      (attached) =>
        typeof evaluateRegistry(attached, { ...criteria, capability: name }) !== "string",
    );
  if (isServed(capability) || !GENERATING.some(isServed)) return undefined;
  const tokens = countTokens(body.kind === "json" ? body.members.bytes : EMPTY_OBJECT);
  return capability === "count_tokens" ? { input_tokens: tokens } : { totalTokens: tokens };
}

const EMPTY_OBJECT = Buffer.from("{}");
/** Members that become part of the prompt. */
const PROMPT_MEMBERS: readonly string[] = [
  ...["system", "messages", "tools"],
  ...["systemInstruction", "contents", "generateContentRequest"],
];

function countTokens(bytes: Uint8Array): number {
  const { value } = parseBody(bytes);
  const body = isObject(value) ? value : {};
  const tokens = PROMPT_MEMBERS.reduce((sum, name) => sum + weigh(body[name]), TOKENS_PER_OBJECT);
  return Math.max(1, Math.round(tokens));
}

/** For the role of a message, or the delimiters of a block. */
const TOKENS_PER_OBJECT = 3;
/** An image of about one megapixel. */
const TOKENS_PER_IMAGE = 1500;
/** A page of a PDF has about 2,000 tokens and 50 KB. */
const PDF_CHARACTERS_PER_TOKEN = 33;

function weigh(value: unknown): number {
  if (typeof value === "string") return weighText(value);
  if (typeof value === "number" || typeof value === "boolean") return 1;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + weigh(item), 0);
  if (!isObject(value)) return 0;
  if (value.type === "image") return TOKENS_PER_IMAGE;
  const { mimeType } = value;
  if (typeof mimeType === "string" && mimeType.startsWith("image/")) return TOKENS_PER_IMAGE;
  if ((value.type === "base64" || mimeType !== undefined) && typeof value.data === "string") {
    return value.data.length / PDF_CHARACTERS_PER_TOKEN;
  }
  return Object.entries(value).reduce(
    (sum, [name, member]) => sum + (name === "cache_control" ? 0 : weigh(member)),
    TOKENS_PER_OBJECT,
  );
}

const ASCII_PER_TOKEN = 3.8;
const LETTERS_PER_TOKEN = 2;
/** Han, kana and Hangul begin here; a character is about one token. */
const FIRST_IDEOGRAPH = 0x2e80;

function weighText(text: string): number {
  let ascii = 0;
  let letters = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) ascii++;
    else if (unit < FIRST_IDEOGRAPH) letters++;
  }
  const others = text.length - ascii - letters;
  return ascii / ASCII_PER_TOKEN + letters / LETTERS_PER_TOKEN + others;
}
