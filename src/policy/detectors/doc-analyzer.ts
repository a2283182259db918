/** Detector that inspects attachments with other detectors and reports unreadable ones. */
import { z } from "zod";
import { defineDetector, type InspectionContext, type Inspector, type Match } from "../detector.ts";
import { dataLossPrevention } from "./data-loss-prevention.ts";
import { injectionProtection } from "./injection-protection.ts";
import { secrets } from "./secrets.ts";
import { unicode } from "./unicode.ts";

const Settings = z.strictObject({
  pii: z.boolean().default(true).describe("Detect personal data."),
  secrets: z.boolean().default(true).describe("Detect passwords, keys and tokens."),
  injection: z.boolean().default(true).describe("Detect injected queries, commands and scripts."),
  hidden_text: z
    .boolean()
    .default(true)
    .describe("Detect invisible characters and look-alike letters."),
  unreadable: z
    .enum(["report", "ignore"])
    .default("report")
    .describe(
      "`report`: an attachment that cannot be fetched or read completely is a match. `ignore`: it is not reported.",
    ),
});

/** Detectors with default settings, and the type of match that each setting enables. */
const PARTS = [
  { member: "pii", part: dataLossPrevention, type: "pii" },
  { member: "secrets", part: secrets, type: "secret" },
  { member: "injection", part: injectionProtection, type: "injection" },
  { member: "hidden_text", part: unicode, type: "hidden_text" },
] as const;

export const docAnalyzer = defineDetector({
  kind: "doc_analyzer",
  title: "Document analyzer",
  summary:
    "Inspects attachments (text, mail, HTML, RTF, PDF, Word, Excel, PowerPoint, zip, gzip) and such files inside a request body for personal data, secrets, injections and hidden text.",
  reads: { input: ["attachment"], output: ["attachment"] },
  masks: false,
  settings: Settings,
  prepare: (settings) => {
    const parts = PARTS.filter(({ member }) => settings[member]).map(({ part, type }) => ({
      inspect: part.prepare({}),
      type,
    }));
    const inspectTexts: Inspector = async (texts, context) => {
      let matches = settings.unreadable === "report" ? findUnreadable(context) : [];
      for (const { inspect, type } of parts) {
        // Each takes as long as a detector of its own.
        if (texts.length > 0) await context.waitForTurn?.(context.payload_bytes);
        const found = await inspect(texts, context);
        matches = matches.concat(found.filter((match) => match.type === type).map(dropMask));
      }
      return matches;
    };
    // Most payloads have no attachment.
    return (texts, context) =>
      context.attachments.length === 0 && texts.length === 0 ? [] : inspectTexts(texts, context);
  },
});

const findUnreadable = ({ attachments }: InspectionContext): Match[] =>
  attachments.flatMap(({ pointer, problem }) => {
    if (problem === null) return [];
    const detail = { pointer, problem };
    return [{ label: "unreadable", type: "unreadable_attachment", confidence: 1, detail }];
  });

/** Removes the mask: attachments cannot be rewritten. */
const dropMask = ({ mask: _, ...match }: Match): Match => match;
