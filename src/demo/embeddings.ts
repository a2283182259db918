/** `POST /v1/embeddings`: unit vectors from hashed words and letter triples, so that similar texts are close. */
import { z } from "zod";
import { countTokens } from "./compose-reply.ts";
import { errorResponse, readJson } from "./wire.ts";

const Tokens = z.array(z.int()).min(1);
const EmbeddingsRequest = z.object({
  model: z.string().default("demo-embedding"),
  input: z.union([
    z.string().min(1),
    z.array(z.string().min(1)).min(1).max(2048),
    Tokens,
    z.array(Tokens).min(1).max(2048),
  ]),
  dimensions: z.int().min(1).max(3072).default(256),
  encoding_format: z.enum(["float", "base64"]).default("float"),
});

// OpenAI's limits; the second keeps the computation under 0.2 s.
const MAX_INPUT_TOKENS = 8192;
const MAX_REQUEST_TOKENS = 300_000;
const MAX_NUMBERS = 1024 * 1024; // a response of about 12 MiB

export async function handleEmbeddings(request: Request): Promise<Response> {
  const body = await readJson(request, EmbeddingsRequest);
  if (body instanceof Response) return body;
  const { dimensions, encoding_format, model } = body;
  const texts = toTexts(body.input);
  const tokens = texts.map(countTokens);
  const total = tokens.reduce((sum, count) => sum + count, 0);
  if (Math.max(...tokens) > MAX_INPUT_TOKENS || total > MAX_REQUEST_TOKENS) {
    const limits = `${MAX_INPUT_TOKENS} tokens per input and ${MAX_REQUEST_TOKENS} per request`;
    return errorResponse(400, `The input is too long: at most ${limits}.`, "input");
  }
  if (texts.length * dimensions > MAX_NUMBERS) {
    return errorResponse(400, `Inputs times dimensions may be at most ${MAX_NUMBERS}.`, "input");
  }

  return Response.json({
    object: "list",
    data: texts.map((text, index) => {
      const vector = embed(text, dimensions);
      const embedding =
        encoding_format === "float" ? [...vector] : Buffer.from(vector.buffer).toString("base64");
      return { object: "embedding", index, embedding };
    }),
    model,
    usage: { prompt_tokens: total, total_tokens: total },
  });
}

/** Treats token numbers as words, because the demo has no vocabulary. */
function toTexts(input: z.infer<typeof EmbeddingsRequest>["input"]): string[] {
  if (typeof input === "string") return [input];
  const [first] = input;
  if (typeof first === "number") return [input.join(" ")];
  return input.map((one) => (Array.isArray(one) ? one.join(" ") : String(one)));
}

function embed(text: string, dimensions: number): Float32Array {
  const sums = new Float32Array(dimensions);
  const add = (feature: string, weight: number) => {
    const hash = Bun.hash.xxHash32(feature);
    const slot = (hash >>> 1) % dimensions;
    sums[slot] = (sums[slot] ?? 0) + (hash & 1 ? weight : -weight);
  };
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [text]) {
    add(word, Math.min(word.length, 8) / 8); // long words carry more meaning than "the"
    const padded = ` ${word} `;
    // Shared letter triples make word forms similar: "cat" and "cats".
    for (let at = 0; at + 3 <= padded.length; at += 1) add(padded.slice(at, at + 3), 1);
  }
  const norm = Math.hypot(...sums);
  // Features may cancel out to a zero vector; use one axis then.
  if (norm === 0) sums[0] = 1;
  return norm === 0 ? sums : sums.map((sum) => sum / norm);
}
