/** Looks into attachments as other detectors look into texts, and tells of those that nobody could look into. */
import { z } from "zod";
import { defineDetector, type InspectionContext, type Match } from "../detector.ts";
import { dataLossPrevention } from "./data-loss-prevention.ts";
import { injectionProtection } from "./injection-protection.ts";
import { secrets } from "./secrets.ts";
import { unicode } from "./unicode.ts";

const Settings = z.strictObject({
  pii: z.boolean().default(true).describe("Find personal data."),
  secrets: z.boolean().default(true).describe("Find passwords, keys and tokens."),
  injection: z.boolean().default(true).describe("Find queries, commands and scripts."),
  hidden_text: z
    .boolean()
    .default(true)
    .describe("Find invisible characters and letters that are not what they look like."),
  unreadable: z
    .enum(["report", "ignore"])
    .default("report")
    .describe(
      "`report`: an attachment that cannot be fetched or read, or only in part, is a match of its own, since nobody looked into it. `ignore`: it passes in silence.",
    ),
});

/** Each as it comes without settings, and of what it finds only what the switch is about. */
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
    "Reads attachments (text, mail, HTML, RTF, PDF, Word, Excel, PowerPoint, zip, gzip), and such files in a provider's body, for personal data, secrets, injections and hidden text.",
  reads: { input: ["attachment"], output: ["attachment"] },
  masks: false,
  settings: Settings,
  prepare: (settings) => {
    const parts = PARTS.filter(({ member }) => settings[member]).map(({ part, type }) => ({
      inspect: part.prepare({}),
      type,
    }));
    return async (texts, surroundings) => {
      let matches = settings.unreadable === "report" ? findUnreadable(surroundings) : [];
      for (const { inspect, type } of parts) {
        const found = await inspect(texts, surroundings);
        matches = matches.concat(found.filter((match) => match.type === type).map(dropMask));
      }
      return matches;
    };
  },
});

const findUnreadable = ({ attachments }: InspectionContext): Match[] =>
  attachments.flatMap(({ pointer, problem }) => {
    if (problem === null) return [];
    const detail = { pointer, problem };
    return [{ label: "unreadable", type: "unreadable_attachment", confidence: 1, detail }];
  });

/** What stands in an attachment cannot be rewritten. */
const dropMask = ({ mask: _, ...match }: Match): Match => match;
