/** Generates docs/detectors.md, the catalog of detectors, from their descriptions. */
import { z } from "zod";
import { DIRECTIONS } from "../src/contract/guard/evaluate.ts";
import type { Detector } from "../src/policy/detector.ts";
import { detectors } from "../src/policy/detectors/all.ts";
import type { SegmentSource } from "../src/policy/segment.ts";

export function detectorsPage(): string {
  return `# Detectors

Generated from \`src/policy/detectors\` by \`npm run docs\`. \`GET /v1/detectors/catalog\` returns the same with JSON
Schemas. A detector finds and locates matches; the rule that uses it decides what happens to them. Every
detector works with \`"settings": {}\` unless a setting is marked as required. [Detection](detection.md) shows what
the detectors find, what they miss, and what they cost.

Detectors recognize look-alike letters and invisible characters and, where attacks use them, percent, base64
and other encodings. Offsets in findings always refer to the text as it was sent. Custom patterns run in linear
time: look-around and back-references are rejected on save.

${[...detectors.values()].map(section).join("\n")}`;
}

function section(detector: Detector): string {
  const { kind, title, summary, masks } = detector;
  const reads = DIRECTIONS.map((name) => `| ${name} | ${readings(detector.reads[name])} |`);
  const transform = masks ? "Supports transform." : "Does not support transform.";
  return `## ${title}: \`${kind}\`

${summary} ${transform}

| Direction | Reads |
|---|---|
${reads.join("\n")}

${settingsTable(detector)}`;
}

const readings = (sources: readonly SegmentSource[]): string =>
  sources.map((source) => source.replaceAll("_", " ")).join(", ") || "nothing";

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  description?: string;
  default?: unknown;
  enum?: unknown[];
}

function settingsTable({ settings }: Detector): string {
  const schema = z.toJSONSchema(settings, { io: "input", unrepresentable: "any" }) as Schema;
  const rows = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    settingRows(name, member, schema.required?.includes(name) ?? false),
  );
  if (rows.length === 0) return "It has no settings.\n";
  return `| Setting | Default | What it does |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** Longer lists of values are only in the catalog. */
const MAX_VALUES = 60;

function valuesOf({ enum: values = [] }: Schema): string {
  if (values.length === 0 || values.length > MAX_VALUES) return "";
  return ` One of ${values.map((value) => `\`${value}\``).join(", ")}.`;
}

/** Returns the row of a setting and, for a list of objects, of its members. */
function settingRows(name: string, member: Schema, required: boolean): string[] {
  const fallback = member.default === undefined ? "" : `\`${JSON.stringify(member.default)}\``;
  const words = [member.description ?? "", valuesOf(member)].join("").replaceAll("|", "\\|");
  const row = `| \`${name}\` | ${required ? "required" : fallback} | ${words} |`;
  const inner = Object.entries(member.items?.properties ?? {}).flatMap(([key, value]) =>
    settingRows(`${name}[].${key}`, value, member.items?.required?.includes(key) ?? false),
  );
  return [row, ...inner];
}
