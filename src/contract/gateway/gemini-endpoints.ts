/** Endpoints of the data plane in the Gemini format. */
import { type DataPlaneEndpoint, JSON_ENDPOINT, STREAMED } from "./dataplane-endpoint.ts";

const GEMINI_ENDPOINT = {
  ...JSON_ENDPOINT,
  version: "v1beta",
  capability: "generate_content",
  dialect: "generate_content",
} as const;
const MODELS_ENDPOINT = { ...GEMINI_ENDPOINT, capability: undefined, body: "none" } as const;
const HELLO_CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hello!" }] }] };

export const GEMINI_ENDPOINTS: readonly DataPlaneEndpoint[] = [
  {
    ...GEMINI_ENDPOINT,
    name: "generate_content",
    path: "/models/{model}:generateContent",
    operations: {
      POST: {
        name: "generate_content",
        summary: "Generate content in the Gemini format",
        json: HELLO_CONTENTS,
      },
    },
  },
  {
    ...GEMINI_ENDPOINT,
    name: "generate_content.stream",
    path: "/models/{model}:streamGenerateContent",
    streams: true,
    operations: {
      POST: {
        name: "stream_generate_content",
        summary:
          "Generate content in the Gemini format, streamed: events with `alt=sse`, otherwise a JSON array",
        json: HELLO_CONTENTS,
        responses: STREAMED,
      },
    },
  },
  {
    ...GEMINI_ENDPOINT,
    name: "generate_content.count_tokens",
    path: "/models/{model}:countTokens",
    capability: "count_content_tokens",
    repeatable: true,
    operations: {
      POST: {
        name: "count_content_tokens",
        summary: "Count the tokens of a request in the Gemini format",
        json: HELLO_CONTENTS,
      },
    },
  },
  {
    ...MODELS_ENDPOINT,
    name: "generate_content.models",
    path: "/models",
    operations: {
      GET: {
        name: "list_gemini_models",
        summary: "List the available models in the Gemini format",
      },
    },
  },
  {
    ...MODELS_ENDPOINT,
    name: "generate_content.model",
    path: "/models/{model}",
    operations: { GET: { name: "get_gemini_model", summary: "Get a model in the Gemini format" } },
  },
];
