/** Every provider by its kind. */
import type { Kind } from "../contract/gateway/registries.ts";
import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import { cerebras } from "./cerebras.ts";
import { cohere } from "./cohere.ts";
import { deepseek } from "./deepseek.ts";
import { demo } from "./demo.ts";
import { google } from "./google.ts";
import { groq } from "./groq.ts";
import { mistral } from "./mistral.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openrouter } from "./openrouter.ts";
import type { Provider } from "./provider.ts";
import { vertex } from "./vertex.ts";
import { xai } from "./xai.ts";

export const providers: Record<Kind, Provider> = {
  openai,
  azure,
  openai_compatible: openaiCompatible,
  openrouter,
  groq,
  mistral,
  xai,
  anthropic,
  google,
  vertex,
  bedrock,
  cohere,
  deepseek,
  cerebras,
  demo,
};
