/** Text with labeled names, and its compact markup: `[Anna Kovač](person) moved to [Brno](location).` */
import type { TextSpan } from "../../src/policy/views/source-map.ts";

export const LABELS = ["none", "person", "location", "organization"] as const;
export type Label = (typeof LABELS)[number];

export interface LabeledSpan {
  start: number;
  end: number;
  label: Exclude<Label, "none">;
}

export interface LabeledText {
  text: string;
  spans: readonly LabeledSpan[];
  /** Parts whose label is unknown: not used. */
  unknown?: readonly TextSpan[];
}

const MARKUP = /\[([^\]]+)\]\((person|location|organization)\)/g;

export function parseMarkup(marked: string): LabeledText {
  const spans: LabeledSpan[] = [];
  let text = "";
  let done = 0;
  for (const match of marked.matchAll(MARKUP)) {
    const [all, name = "", label] = match;
    text += marked.slice(done, match.index);
    spans.push({
      start: text.length,
      end: text.length + name.length,
      label: label as LabeledSpan["label"],
    });
    text += name;
    done = match.index + all.length;
  }
  return { text: text + marked.slice(done), spans };
}

/** Replaces every labeled name by what `replace` returns. */
export function replaceNames(
  { text, spans }: LabeledText,
  replace: (name: string, label: LabeledSpan["label"], before: string) => string,
): LabeledText {
  const replaced: LabeledSpan[] = [];
  let out = "";
  let done = 0;
  for (const { start, end, label } of spans) {
    out += text.slice(done, start);
    const name = replace(text.slice(start, end), label, out);
    replaced.push({ start: out.length, end: out.length + name.length, label });
    out += name;
    done = end;
  }
  return { text: out + text.slice(done), spans: replaced };
}
