/** Endpoints of the data plane: one table for the matcher and for the API description. */
import { type DataPlaneEndpoint, JSON_ENDPOINT, STREAMED } from "./dataplane-endpoint.ts";
import { GEMINI_ENDPOINTS } from "./gemini-endpoints.ts";
import { OBJECT_ENDPOINTS } from "./object-endpoints.ts";

const HELLO = [{ role: "user", content: "Hello!" }];

const FORM_ENDPOINT = { ...JSON_ENDPOINT, body: "form", form_cap: "MEDIA_BODY_MIB" } as const;
const MODELS_ENDPOINT = { ...JSON_ENDPOINT, capability: undefined, body: "none" } as const;

export const DATA_PLANE_ENDPOINTS: readonly DataPlaneEndpoint[] = [
  {
    ...JSON_ENDPOINT,
    name: "chat",
    path: "/chat/completions",
    capability: "chat",
    operations: {
      POST: {
        name: "create_chat_completion",
        summary: "Chat; whole, or streamed with `stream: true`",
        json: { model: "demo-chat", messages: HELLO },
        responses: STREAMED,
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "responses",
    path: "/responses",
    capability: "responses",
    dialect: "responses",
    operations: {
      POST: {
        name: "create_response",
        summary: "Responses; whole, or streamed with `stream: true`",
        json: { model: "demo-chat", input: "Hello!" },
        responses: STREAMED,
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "messages",
    path: "/messages",
    capability: "messages",
    dialect: "messages",
    operations: {
      POST: {
        name: "create_message",
        summary: "Messages in the Anthropic format; whole, or streamed with `stream: true`",
        json: { model: "demo-chat", max_tokens: 256, messages: HELLO },
        responses: STREAMED,
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "completions",
    path: "/completions",
    capability: "completions",
    operations: {
      POST: {
        name: "create_completion",
        summary: "Legacy text completion; whole, or streamed with `stream: true`",
        json: { model: "demo-chat", prompt: "Once upon a time" },
        responses: STREAMED,
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "responses.compact",
    path: "/responses/compact",
    capability: "response_context",
    operations: {
      POST: {
        name: "compact_response",
        summary: "Compact the input of a long conversation",
        json: { model: "gpt-5", input: HELLO },
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "responses.input_tokens",
    path: "/responses/input_tokens",
    capability: "response_context",
    repeatable: true,
    operations: {
      POST: {
        name: "count_response_tokens",
        summary: "Count the input tokens of a response, without creating it",
        json: { model: "gpt-5", input: "Hello!" },
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "messages.count_tokens",
    path: "/messages/count_tokens",
    capability: "count_tokens",
    dialect: "messages",
    repeatable: true,
    operations: {
      POST: {
        name: "count_message_tokens",
        summary:
          "Count the input tokens of a message; an estimate with the header `X-AG-Token-Count: estimated` if no registry can count them",
        json: { model: "demo-chat", messages: HELLO },
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "moderations",
    path: "/moderations",
    capability: "moderations",
    operations: {
      POST: {
        name: "create_moderation",
        summary: "Classify text or images by categories of harmful content",
        json: { model: "demo-moderation", input: "Hello!" },
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "rerank",
    path: "/rerank",
    capability: "rerank",
    operations: {
      POST: {
        name: "rerank_documents",
        summary: "Order documents by their relevance to a query, in the format of Cohere and Jina",
        json: {
          model: "rerank-v3.5",
          query: "Where is the gate?",
          documents: ["The gate is in the north.", "The moat is deep."],
        },
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "embeddings",
    path: "/embeddings",
    capability: "embeddings",
    operations: {
      POST: {
        name: "create_embedding",
        summary: "Embeddings of one or several texts",
        json: { model: "demo-embedding", input: "A castle gate" },
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "images.generations",
    path: "/images/generations",
    capability: "images",
    operations: {
      POST: {
        name: "generate_image",
        summary: "Generate an image from a prompt",
        json: { model: "demo-image", prompt: "A castle gate", n: 1, size: "256x256" },
      },
    },
  },
  {
    ...FORM_ENDPOINT,
    name: "images.edits",
    path: "/images/edits",
    capability: "images",
    operations: {
      POST: {
        name: "edit_image",
        summary: "Edit an image by a prompt",
        form: {
          model: { example: "demo-image" },
          prompt: { example: "Add a moat" },
          image: { example: "gate.png", media_type: "image/png" },
        },
      },
    },
  },
  {
    ...FORM_ENDPOINT,
    name: "images.variations",
    path: "/images/variations",
    capability: "images",
    operations: {
      POST: {
        name: "vary_image",
        summary: "Generate variations of an image",
        form: {
          model: { example: "demo-image" },
          image: { example: "gate.png", media_type: "image/png" },
        },
      },
    },
  },
  {
    ...JSON_ENDPOINT,
    name: "audio.speech",
    path: "/audio/speech",
    capability: "audio_speech",
    operations: {
      POST: {
        name: "create_speech",
        summary: "Convert text to speech; the response is the audio file",
        json: { model: "demo-speech", input: "The gate is open.", voice: "alloy" },
        responses: ["audio/mpeg"],
      },
    },
  },
  {
    ...FORM_ENDPOINT,
    name: "audio.transcriptions",
    path: "/audio/transcriptions",
    capability: "audio_transcription",
    operations: {
      POST: {
        name: "create_transcription",
        summary: "Transcribe a recording",
        form: {
          model: { example: "demo-transcribe" },
          file: { example: "speech.mp3", media_type: "audio/mpeg" },
        },
      },
    },
  },
  ...OBJECT_ENDPOINTS,
  {
    ...MODELS_ENDPOINT,
    name: "models",
    path: "/models",
    operations: { GET: { name: "list_models", summary: "List the available models" } },
  },
  {
    ...MODELS_ENDPOINT,
    name: "models.one",
    path: "/models/{model}",
    operations: { GET: { name: "get_model", summary: "Get a model" } },
  },
  ...GEMINI_ENDPOINTS,
];
