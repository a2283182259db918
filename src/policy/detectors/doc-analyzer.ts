/** Looks into attachments: personal data, credentials, injections and hidden text, and what cannot be read at all. */
import { z } from "zod";
import { detector, type Match, type Surroundings } from "../detector.ts";
import { entityMatches, USUAL_CHOICE } from "../dlp/entity-matches.ts";
import { withoutOverlaps } from "../dlp/without-overlaps.ts";
import { INJECTION_TYPES, INJECTIONS } from "../injections/all.ts";
import { inspectSignatures } from "../inspect-signatures.ts";
import { once, type Segment } from "../segment.ts";
import { signatureScan } from "../signatures.ts";
import { hiddenText } from "../unicode/hidden-text.ts";

const Settings = z.strictObject({
  pii: z.boolean().default(true).describe("Find personal data."),
  secrets: z.boolean().default(true).describe("Find passwords, keys and tokens."),
  injection: z.boolean().default(true).describe("Find queries, commands and scripts."),
  hidden_text: z
    .boolean()
    .default(true)
    .describe("Find invisible characters and letters that are not what they look like."),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.7)
    .describe("How sure an injection or hidden text must be."),
  unreadable: z
    .enum(["report", "ignore"])
    .default("report")
    .describe(
      "`report`: an attachment that cannot be fetched or read, or only in part, is a match of its own, since nobody looked into it. `ignore`: it passes in silence.",
    ),
});

const scan = signatureScan(INJECTIONS);

export const docAnalyzer = detector({
  kind: "doc_analyzer",
  title: "Document analyzer",
  summary:
    "Looks into attachments (text, HTML, PDF, DOCX) for personal data, secrets and injections.",
  reads: { input: ["attachment"], output: [] },
  masks: false,
  settings: Settings,
  prepare: (settings) => {
    const { pii, secrets, injection, hidden_text, threshold } = settings;
    const injections = inspectSignatures({
      type: "injection",
      scan,
      labels: INJECTION_TYPES,
      custom: [],
      threshold,
    });
    return async (texts, surroundings) => [
      ...(settings.unreadable === "report" ? unread(surroundings) : []),
      ...texts.flatMap((segment) => entities(segment, { pii, secret: secrets })),
      ...(injection ? await injections(texts, surroundings) : []),
      ...(hidden_text ? texts.flatMap((segment) => hidden(segment, threshold)) : []),
    ];
  },
});

const unread = ({ attachments }: Surroundings): Match[] =>
  attachments.flatMap(({ pointer, problem }) =>
    problem === null
      ? []
      : [
          {
            label: "unreadable",
            type: "unreadable_attachment",
            confidence: 1,
            detail: { pointer, problem },
          },
        ],
  );

/** What stands in an attachment cannot be masked, so no match says how. */
function entities(segment: Segment, wanted: { pii: boolean; secret: boolean }): Match[] {
  if (!wanted.pii && !wanted.secret) return [];
  return withoutOverlaps(entityMatches(segment, USUAL_CHOICE))
    .filter(({ type }) => wanted[type as keyof typeof wanted])
    .map(({ label, type, confidence, at }) => ({ label, type, confidence, at }));
}

const hidden = (segment: Segment, threshold: number): Match[] =>
  once(segment, hiddenText)
    .filter(({ confidence }) => confidence >= threshold)
    .map(({ kind, confidence, start, end }) => ({
      label: kind,
      type: "hidden_text",
      confidence,
      at: { segment, start, end },
    }));
