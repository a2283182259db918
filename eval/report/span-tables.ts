/** Tables of a task that compares spans: by type and by source, ours beside the peers. */
import type { Example } from "../example.ts";
import { SPANS, type TaskResult } from "../measure-task.ts";
import {
  countSpans,
  f1Of,
  precisionOf,
  recallOf,
  type Span,
  type SpanCounts,
  sumCounts,
} from "../score-spans.ts";
import { type Contender, flaggedShare, groupBySource, listContenders, pool } from "./groups.ts";
import { fraction, markdownTable, percent } from "./markdown.ts";
import { markSeen, TIME_HEADER, timeCells } from "./score-tables.ts";

/** Returns the counts by type. A place inside a labeled address is neither a hit nor an error. */
function scoreSpans(
  examples: readonly Example[],
  { readings }: Contender,
  indexes: readonly number[],
): Map<string, SpanCounts> {
  const counts = new Map<string, SpanCounts>();
  for (const index of indexes) {
    const labeled = examples[index]?.spans ?? [];
    const addresses = labeled.filter(({ type }) => type === "address");
    const isInAddress = ({ type, start, end }: Span) =>
      type === "place" && addresses.some((each) => each.start <= start && end <= each.end);
    const reported = (readings[index]?.spans ?? []).filter((span) => !isInAddress(span));
    countSpans(counts, reported, labeled);
  }
  return counts;
}

/** Returns the F1 of each contender over all labeled texts, and the share of benign texts that it flags. */
export function overallF1(result: TaskResult): { name: string; f1: number; wrong: number }[] {
  const groups = groupBySource(result);
  const positive = pool(groups.filter(({ isPositive }) => isPositive));
  const benign = pool(groups.filter(({ isPositive }) => !isPositive));
  const usual = listContenders(result);
  return listContenders(result, SPANS).map((contender, at) => ({
    name: contender.name,
    f1: f1Of(sumCounts(scoreSpans(result.examples, contender, positive).values())),
    wrong: flaggedShare((usual[at] ?? contender).readings, benign),
  }));
}

/** Returns our precision and recall, and the F1 of every contender, by type. */
export function typeTable(result: TaskResult): string {
  const positive = pool(groupBySource(result).filter(({ isPositive }) => isPositive));
  const contenders = listContenders(result, SPANS);
  const scored = contenders.map((contender) => scoreSpans(result.examples, contender, positive));
  const [ours = new Map<string, SpanCounts>()] = scored;
  const types = [...ours].filter(([, { labeled }]) => labeled > 0).map(([type]) => type);
  const row = (name: string, counts: readonly SpanCounts[]) => {
    const [own = sumCounts([])] = counts;
    return [
      name,
      String(own.labeled),
      ...[precisionOf(own), recallOf(own)].map(fraction),
      ...counts.map((each) => fraction(f1Of(each))),
    ];
  };
  return markdownTable(
    ["Type", "Labeled", "Precision", "Recall", ...contenders.map(({ name }) => `F1, ${name}`)],
    [
      ...types.map((type) =>
        row(
          type.replaceAll("_", " "),
          scored.map((counts) => counts.get(type) ?? sumCounts([])),
        ),
      ),
      ...(types.length > 1
        ? [
            row(
              "**All**",
              scored.map((counts) => sumCounts(counts.values())),
            ),
          ]
        : []),
    ],
  );
}

/** Returns the F1 of every contender by source, the benign texts that it flags, and its times. */
export function spanSourceTable(result: TaskResult): string {
  const contenders = listContenders(result, SPANS);
  // Only the usual configuration is timed.
  const timed = listContenders(result);
  const overall = overallF1(result);
  const positive = groupBySource(result).filter(({ isPositive }) => isPositive);
  const f1 = (contender: Contender, indexes: readonly number[]) =>
    fraction(f1Of(sumCounts(scoreSpans(result.examples, contender, indexes).values())));
  return markdownTable(
    [
      "F1 by source",
      ...positive.map(({ name, isSeen }) => markSeen(name, isSeen)),
      "Benign flagged",
      ...TIME_HEADER,
    ],
    contenders.map((contender, at) => [
      contender.name,
      ...positive.map(({ indexes }) => f1(contender, indexes)),
      percent(overall[at]?.wrong ?? Number.NaN),
      ...timeCells(result, timed[at] ?? contender),
    ]),
  );
}
