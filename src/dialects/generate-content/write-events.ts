/** Writes a stream of Gemini: unnamed events that each contain a response. */
import type { ReplyContext, StreamWriter } from "../dialect.ts";
import type { OutputPart } from "../neutral.ts";
import { writeError } from "./errors.ts";
import { writeCandidate, writePart, writeUsage } from "./write-response.ts";

export function createGenerateContentStreamWriter(reply: ReplyContext): StreamWriter {
  let frame = "";
  /** The open part. The format has no parts of a call, so its arguments are collected. */
  let open: OutputPart | undefined;
  const setId = (id: string) => {
    frame = JSON.stringify({ modelVersion: reply.model, responseId: id }).slice(1);
  };
  setId(reply.id);
  const event = (members: object): string =>
    `data: ${JSON.stringify(members).slice(0, -1)},${frame}\n\n`;
  /** Arguments that are not complete are not written: the check of the events rejects them, or a limit explains them. */
  const writeChunk = (part: OutputPart): string => {
    const written = writePart(part);
    return written ? event({ candidates: [writeCandidate([written])] }) : "";
  };

  return {
    write(next) {
      switch (next.type) {
        case "start":
          if (next.id) setId(next.id);
          return "";
        case "part_start":
          open = { ...next.part };
          return "";
        case "delta":
          if (open?.type === "tool_call") {
            open.arguments += next.text;
            return "";
          }
          return open ? writeChunk({ type: open.type, text: next.text }) : "";
        case "signature":
          if (open && open.type !== "text") open.signature = next.signature;
          return "";
        case "part_end": {
          const ended = open;
          open = undefined;
          const isWritten =
            ended?.type === "tool_call" || (ended?.type === "thinking" && ended.signature);
          return ended && isWritten ? writeChunk(ended) : "";
        }
        case "end": {
          const usage = next.usage && { usageMetadata: writeUsage(next.usage) };
          const last = writeCandidate([{ text: "" }], next.stop_reason);
          return event({ candidates: [last], ...usage });
        }
        case "error":
          return `data: ${JSON.stringify(writeError(next.error))}\n\n`;
      }
    },
  };
}
