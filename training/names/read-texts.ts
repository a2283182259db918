/** Reads texts with labeled names: our own, and those of presidio-research. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type LabeledSpan, type LabeledText, parseMarkup } from "./labeled-text.ts";

export interface TextSet {
  train: LabeledText[];
  development: LabeledText[];
}

/** One JSON object per line, with `text` in markup. Files of `held-out` are for measuring only. */
export function readOwnTexts(folder: string): TextSet {
  const read = (directory: string) =>
    readdirSync(directory)
      .filter((file) => file.endsWith(".jsonl"))
      .sort()
      .flatMap((file) => readFileSync(join(directory, file), "utf8").trim().split("\n"))
      .map((line) => parseMarkup((JSON.parse(line) as { text: string }).text));
  return { train: read(folder), development: read(join(folder, "held-out")) };
}

interface PresidioText {
  full_text: string;
  masked: string;
  spans: { entity_type: string; start_position: number; end_position: number }[];
}

const LABEL_OF: Readonly<Record<string, LabeledSpan["label"]>> = {
  PERSON: "person",
  LOCATION: "location",
  GPE: "location",
  ADDRESS: "location",
  STREET_ADDRESS: "location",
  ZIP_CODE: "location",
  ORGANIZATION: "organization",
};
const HELD_OUT_SHARE = 0.25;

/** Splits by template, so that no sentence of the development set was seen in training. */
export function readPresidioTexts(data: string): TextSet {
  const sets: TextSet = { train: [], development: [] };
  for (const file of ["generated_large.json", "synth_dataset_v2.json"]) {
    const texts = JSON.parse(
      readFileSync(join(data, "train/presidio_research", file), "utf8"),
    ) as PresidioText[];
    for (const text of texts) {
      const template = text.masked.toLowerCase().replace(/\{\{.*?\}\}|[^a-z]/g, "");
      const isHeldOut = Number(Bun.hash.crc32(template)) / 2 ** 32 < HELD_OUT_SHARE;
      sets[isHeldOut ? "development" : "train"].push(toLabeledText(text));
    }
  }
  return sets;
}

/** The parts of an address are one location, up to the end of the line. */
function toLabeledText({ full_text: text, spans }: PresidioText): LabeledText {
  const merged: LabeledSpan[] = [];
  const sorted = spans
    .flatMap((span) => {
      const label = LABEL_OF[span.entity_type];
      if (!label) return [];
      const parts: LabeledSpan[] = [];
      let start = span.start_position;
      for (const line of text.slice(start, span.end_position).split("\n")) {
        const value = line.replace(/^[\s,]+|[\s,]+$/g, "");
        if (/[\p{L}\d]/u.test(value)) {
          const from = start + line.indexOf(value);
          parts.push({ start: from, end: from + value.length, label });
        }
        start += line.length + 1;
      }
      return parts;
    })
    .sort((one, other) => one.start - other.start);
  for (const span of sorted) {
    const last = merged.at(-1);
    const between = last ? text.slice(last.end, span.start) : "";
    const isAddress =
      last?.label === "location" &&
      span.label === "location" &&
      /\d/.test(text.slice(last.start, span.end));
    if (last && isAddress && /^,? *$/.test(between)) last.end = span.end;
    else merged.push({ ...span });
  }
  return { text, spans: merged };
}
