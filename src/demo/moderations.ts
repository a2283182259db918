/** `POST /v1/moderations`: scores of the demo model, which knows a few words. */
import { z } from "zod";
import { DemoContent, toTurn } from "./turns.ts";
import { type DemoOptions, readJson } from "./wire.ts";

const ModerationsRequest = z.object({
  model: z.string().default("demo-moderation"),
  input: z.union([z.array(z.string()).min(1).max(128), DemoContent]),
});

/** Words that flag a category. */
const CATEGORIES: Record<string, RegExp | undefined> = {
  harassment: /\b(?:idiot|moron)\b/i,
  "harassment/threatening": undefined,
  hate: undefined,
  "hate/threatening": undefined,
  illicit: undefined,
  "illicit/violent": undefined,
  "self-harm": undefined,
  "self-harm/instructions": undefined,
  "self-harm/intent": undefined,
  sexual: undefined,
  "sexual/minors": undefined,
  violence: /\b(?:kill|murder|stab)\b/i,
  "violence/graphic": undefined,
};

export async function handleModerations(options: DemoOptions, request: Request): Promise<Response> {
  const body = await readJson(request, ModerationsRequest);
  if (body instanceof Response) return body;
  const { input, model } = body;
  const texts = isListOfTexts(input) ? input : [toTurn("user", input).text];
  return Response.json({ id: `modr-${options.newId()}`, model, results: texts.map(classify) });
}

const isListOfTexts = (input: string[] | DemoContent): input is string[] =>
  Array.isArray(input) && input.every((item) => typeof item === "string");

function classify(text: string) {
  const entries = Object.entries(CATEGORIES).map(
    ([name, words]) => [name, words?.test(text) ?? false] as const,
  );
  return {
    flagged: entries.some(([, isFlagged]) => isFlagged),
    categories: Object.fromEntries(entries),
    category_scores: Object.fromEntries(
      entries.map(([name, isFlagged]) => [name, isFlagged ? 0.98 : 0.0001]),
    ),
    category_applied_input_types: Object.fromEntries(
      entries.map(([name, isFlagged]) => [name, isFlagged ? ["text"] : []]),
    ),
  };
}
