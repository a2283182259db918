/** `POST /v1beta/models/{model}:{method}`: the demo model in the Gemini format, whole or streamed. */
import { z } from "zod";
import { isObject } from "../lib/json/json-object.ts";
import { toJsonSchema } from "../lib/json/to-json-schema.ts";
import { composeReply, countInput, type DemoReply, type Prompt } from "./compose-reply.ts";
import type { DemoTurn } from "./turns.ts";
import {
  type DemoOptions,
  errorResponse,
  formatEvent,
  paceWords,
  readJson,
  streamEvents,
} from "./wire.ts";

const Part = z.object({
  text: z.string().optional(),
  inlineData: z.object({ mimeType: z.string() }).optional(),
  fileData: z.object({ mimeType: z.string().optional() }).optional(),
  functionResponse: z.object({ response: z.unknown() }).optional(),
});
const Content = z.object({ role: z.string().optional(), parts: z.array(Part).default([]) });
type Content = z.infer<typeof Content>;
const Schema = z.record(z.string(), z.unknown());

const GenerateContentRequest = z.object({
  contents: z.union([z.array(Content).min(1), Content]),
  systemInstruction: Content.optional(),
  tools: z
    .array(
      z.object({
        functionDeclarations: z
          .array(
            z.object({
              name: z.string(),
              parameters: Schema.optional(),
              parametersJsonSchema: Schema.optional(),
            }),
          )
          .max(128)
          .optional(),
      }),
    )
    .optional(),
  toolConfig: z
    .object({
      functionCallingConfig: z
        .object({
          mode: z.string().optional(),
          allowedFunctionNames: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .optional(),
  generationConfig: z
    .object({
      maxOutputTokens: z.int().min(1).optional(),
      stopSequences: z.array(z.string()).optional(),
      responseMimeType: z.string().optional(),
      responseSchema: Schema.optional(),
      responseJsonSchema: Schema.optional(),
    })
    .optional(),
});
type GenerateContentRequest = z.infer<typeof GenerateContentRequest>;

/** `call` is the last segment of the path: `{model}:{method}`. */
export async function handleGenerateContent(
  options: DemoOptions,
  request: Request,
  call: string,
): Promise<Response> {
  const colon = call.lastIndexOf(":");
  const method = call.slice(colon + 1);
  if (!METHODS.includes(method)) {
    return toGoogleError(errorResponse(404, `Unknown method '${method}'.`));
  }
  const body = await readJson(request, GenerateContentRequest);
  if (body instanceof Response) return toGoogleError(body);
  const prompt = toPrompt(body);
  if (method === "countTokens") return Response.json({ totalTokens: countInput(prompt.turns) });
  const frame = { modelVersion: call.slice(0, colon), responseId: options.newId() };
  const reply = composeReply(prompt);
  if (method === "streamGenerateContent") return streamEvents(chunks(reply, frame));
  return Response.json({ ...toCandidate(toParts(reply), reply), ...frame });
}

const METHODS = ["generateContent", "streamGenerateContent", "countTokens"];

/** Converts an error from the OpenAI to the Google format. */
async function toGoogleError(response: Response): Promise<Response> {
  const { error } = await response.json();
  const { status: code } = response;
  const status = code === 404 ? "NOT_FOUND" : "INVALID_ARGUMENT";
  return Response.json({ error: { code, message: error.message, status } }, { status: code });
}

function toPrompt(body: GenerateContentRequest): Prompt {
  const { systemInstruction, toolConfig, generationConfig = {} } = body;
  const { responseSchema, responseJsonSchema, responseMimeType } = generationConfig;
  const schema = responseJsonSchema ?? (responseSchema && toJsonSchema(responseSchema));
  return {
    turns: [
      ...(systemInstruction ? [toTurn({ ...systemInstruction, role: "system" })] : []),
      ...[body.contents].flat().map(toTurn),
    ],
    tools: (body.tools ?? []).flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        parameters: parametersJsonSchema ?? (parameters && toJsonSchema(parameters)),
      })),
    ),
    toolChoice: toToolChoice(toolConfig),
    oneCallOnly: false,
    json: schema || responseMimeType === "application/json" ? { schema } : undefined,
    maxTokens: generationConfig.maxOutputTokens,
    stop: generationConfig.stopSequences ?? [],
  };
}

function toTurn({ role, parts }: Content): DemoTurn {
  const results = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
  const texts = results.map(({ response }) => textOf(response));
  const media = parts.flatMap(({ inlineData, fileData }) => inlineData ?? fileData ?? []);
  const count = (type: string) =>
    media.filter(({ mimeType }) => mimeType?.startsWith(`${type}/`)).length;
  const [images, sounds] = [count("image"), count("audio")];
  return {
    role: results.length > 0 ? "tool" : (ROLES[role ?? "user"] ?? "user"),
    text: (results.length > 0 ? texts : parts.map(({ text }) => text)).filter(Boolean).join("\n"),
    images,
    sounds,
    files: media.length - images - sounds,
  };
}

const ROLES: Record<string, DemoTurn["role"]> = { system: "system", model: "assistant" };

/** A result is usually in `output` or `result`. */
function textOf(response: unknown): string {
  const { output, result } = isObject(response) ? response : {};
  const value = output ?? result ?? response;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function toToolChoice(config: GenerateContentRequest["toolConfig"]): Prompt["toolChoice"] {
  const { mode, allowedFunctionNames: [name] = [] } = config?.functionCallingConfig ?? {};
  if (mode === "NONE") return "none";
  if (mode !== "ANY") return "auto";
  return name === undefined ? "required" : { name };
}

const toParts = ({ text, calls }: DemoReply): object[] =>
  calls.length > 0
    ? calls.map((call) => ({
        functionCall: { name: call.name, args: JSON.parse(call.arguments) },
      }))
    : [{ text }];

function toCandidate(parts: object[], { ended, inputTokens, outputTokens }: DemoReply) {
  return {
    candidates: [
      {
        content: { role: "model", parts },
        finishReason: ended === "length" ? "MAX_TOKENS" : "STOP",
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
  };
}

async function* chunks(reply: DemoReply, frame: object) {
  for await (const text of paceWords(reply.text)) {
    const content = { role: "model", parts: [{ text }] };
    yield formatEvent({ candidates: [{ content, index: 0 }], ...frame });
  }
  const last = reply.calls.length > 0 ? toParts(reply) : [{ text: "" }];
  yield formatEvent({ ...toCandidate(last, reply), ...frame });
}
