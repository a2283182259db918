/** Lists the members of requests and responses that the official SDKs of OpenAI, Anthropic and Google define. */
import { Glob } from "bun";

export interface SdkMember {
  name: string;
  /** The type as it is written, up to the end of its line. */
  type: string;
}

/** Declarations of the APIs that the gateway forwards; the others are administrative. */
const SOURCES = [
  "openai/resources/{chat,responses,conversations,audio,uploads,vector-stores,containers}/**/*.d.ts",
  "openai/resources/{completions,embeddings,images,moderations,files,batches,shared,videos}.d.ts",
  "@anthropic-ai/sdk/resources/messages/**/*.d.ts",
  "@anthropic-ai/sdk/resources/beta/messages/**/*.d.ts",
  "@google/genai/dist/genai.d.ts",
  "@modelcontextprotocol/sdk/dist/esm/spec.types.d.ts",
];

const MEMBER = /^\s+(?:readonly )?["']?([A-Za-z_$][\w$-]*)["']?\??: (.+)$/gm;

/** Each pair of a name and a type once. */
export async function listSdkMembers(): Promise<SdkMember[]> {
  const found = new Map<string, SdkMember>();
  for (const source of SOURCES) {
    for await (const path of new Glob(source).scan("node_modules")) {
      const text = await Bun.file(`node_modules/${path}`).text();
      for (const [, name = "", type = ""] of text.matchAll(MEMBER)) {
        found.set(`${name}: ${type}`, { name, type });
      }
    }
  }
  return [...found.values()];
}
