/** Converts messages of the three chat formats to turns: role, text and attachments. */
import { z } from "zod";

export interface DemoTurn {
  role: "system" | "user" | "assistant" | "tool";
  text: string;
  /** Attachments that are not text, counted by kind. */
  images: number;
  sounds: number;
  files: number;
}

/** The relevant members of a content part in any format; others are ignored. */
const Part = z.object({
  type: z.string(),
  text: z.string().nullish(),
  content: z
    .union([z.string(), z.array(z.object({ text: z.string().nullish() }))])
    .nullish()
    .catch(undefined),
});
export const DemoContent = z.union([z.string(), z.array(Part)]).nullish();
export type DemoContent = z.infer<typeof DemoContent>;

const IMAGE_TYPES = ["image_url", "input_image", "image"];
const FILE_TYPES = ["file", "input_file", "document"];

export function toTurn(role: DemoTurn["role"], content: DemoContent): DemoTurn {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const count = (types: string[]) => parts.filter(({ type }) => types.includes(type)).length;
  // A message with a tool result is the tool's turn, regardless of its role.
  const results = parts.filter(({ type }) => type === "tool_result");
  return {
    role: results.length > 0 ? "tool" : role,
    text: (results.length > 0 ? results : parts).map(textOf).filter(Boolean).join("\n"),
    images: count(IMAGE_TYPES),
    sounds: count(["input_audio"]),
    files: count(FILE_TYPES),
  };
}

function textOf(part: z.infer<typeof Part>): string {
  if (typeof part.content === "string") return part.content;
  return part.text ?? part.content?.map(({ text }) => text ?? "").join("\n") ?? "";
}
