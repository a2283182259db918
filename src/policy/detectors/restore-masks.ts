/** Detector that restores values masked reversibly by an earlier evaluation of the session. */
import { z } from "zod";
import { defineDetector, findNothingOpen, type Inspector, type Match } from "../detector.ts";
import { inspectAll } from "../inspect-texts.ts";
import { computeOnce, type Segment } from "../segment.ts";

export const restoreMasks = defineDetector({
  kind: "restore_masks",
  title: "Restore masks",
  summary:
    "Detects pseudonyms of masked values of the same session. Transform restores the values. In input, only arguments of tool calls are read: use it there for calls of MCP tools, with a condition on the protocol.",
  reads: { input: ["tool_arguments"], output: ["assistant", "tool_arguments"] },
  masks: true,
  settings: z.strictObject({
    only_tool_calls: z
      .boolean()
      .default(false)
      .describe("Restores values in the arguments of tool calls, and leaves them masked in text.")
      .meta({ title: "Only in tool calls" }),
  }),
  prepare: ({ only_tool_calls }) => {
    const inspect: Inspector = async (texts, context) => {
      const findPlaces = (segment: Segment) =>
        computeOnce(segment, findPseudonyms).map((found) => ({ ...found, segment }));
      const read = only_tool_calls
        ? texts.filter(({ source }) => source === "tool_arguments")
        : texts;
      const places = await inspectAll(read, findPlaces, context);
      if (places.length === 0) return [];
      const originals = await context.services.restore([
        ...new Set(places.map(({ name }) => name)),
      ]);
      return places.flatMap(({ name, start, segment }): Match[] => {
        const text = originals.get(name);
        if (text === undefined) return [];
        const at = { segment, start, end: start + name.length };
        return [{ label: "pseudonym", type: "pseudonym", confidence: 1, at, mask: { text } }];
      });
    };
    return Object.assign(inspect, {
      partial: { findOpenStart: findNothingOpen, context: 0 },
    });
  },
});

interface PseudonymLocation {
  name: string;
  start: number;
}

function findPseudonyms(text: string): readonly PseudonymLocation[] {
  if (!text.includes("<")) return [];
  return Array.from(text.matchAll(PSEUDONYM), ({ 0: name, index }) => ({ name, start: index }));
}

/** Label of an entity, format (`AUTH0_…`) or rule, in any script, and a random suffix. Bounded for linear time. */
const PSEUDONYM = /<[\p{Lu}\p{Lo}\p{N}_]{1,80}_[a-z2-7]{8}>/gu;
