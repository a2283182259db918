/** Brings the messages of the three chat wires into one form: who spoke, what was said, what came along. */
import { z } from "zod";

export interface DemoTurn {
  role: "system" | "user" | "assistant" | "tool";
  text: string;
  /** What came along that is not text, counted by kind. */
  images: number;
  sounds: number;
  files: number;
}

/** The members that matter of a content part of any of the wires; whatever else a part holds is skipped. */
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
  // A message that carries a tool's result back is the tool's turn, whatever role it travels under.
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
