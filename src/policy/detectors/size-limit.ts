/** Detector of payloads that exceed a size limit. */
import { z } from "zod";
import { defineDetector, type Match } from "../detector.ts";
import { SEGMENT_SOURCES } from "../segment.ts";

const Limit = z.int().min(1).max(1_000_000_000);

const Settings = z.strictObject({
  max_tokens: Limit.nullable()
    .default(128_000)
    .describe(
      "Maximum tokens of all texts together, estimated as UTF-8 bytes divided by four: close for English, slightly low for Chinese. null: no limit.",
    )
    .meta({ title: "Maximum tokens" }),
  max_characters: Limit.nullable()
    .default(null)
    .describe("Maximum characters of all texts together. null: no limit.")
    .meta({ title: "Maximum characters" }),
  max_payload_bytes: Limit.nullable()
    .default(null)
    .describe("Maximum size of the payload as sent, including attachments. null: no limit.")
    .meta({ title: "Maximum bytes of the payload" }),
});

const BYTES_PER_TOKEN = 4;
/** Excludes attachments, which would have to be fetched. */
const TEXTS = SEGMENT_SOURCES.filter((source) => source !== "attachment");

export const sizeLimit = defineDetector({
  kind: "size_limit",
  title: "Size limit",
  summary: "Detects payloads that exceed a limit of characters, tokens or bytes.",
  reads: { input: TEXTS, output: TEXTS },
  masks: false,
  settings: Settings,
  prepare: (limits) => (texts, context) => {
    let [characters, bytes] = [0, 0];
    for (const { text } of texts) {
      characters += text.length;
      if (limits.max_tokens !== null) bytes += Buffer.byteLength(text);
    }
    const sizes = [
      ["characters", limits.max_characters, characters],
      ["tokens", limits.max_tokens, Math.ceil(bytes / BYTES_PER_TOKEN)],
      ["payload_bytes", limits.max_payload_bytes, context.payload_bytes],
    ] as const;
    const matches: Match[] = [];
    for (const [label, limit, size] of sizes) {
      if (limit === null || size <= limit) continue;
      matches.push({ label, type: "size_exceeded", confidence: 1, detail: { limit, size } });
    }
    return matches;
  },
});
