/** Summarizes every task in one row, beside the best peer. */
import { scoresOf, type TaskResult, usualLevelOf } from "../measure-task.ts";
import { computeAuroc, limitAtRate, shareAbove } from "../metrics.ts";
import { flaggedShare, listContenders, OURS, pick, pool, summaryGroups } from "./groups.ts";
import { fraction, markdownTable, NONE, percent } from "./markdown.ts";
import { markSeen } from "./score-tables.ts";
import { overallF1 } from "./span-tables.ts";

export function summaryTable(results: readonly TaskResult[]): string {
  const rows = results.map((result) =>
    result.task.spanSettings ? spanRow(result) : scoreRow(result),
  );
  return markdownTable(["", "Measure", OURS, "Best peer"], rows, 4);
}

/** Returns true if every attack comes from a source that was available for training. */
const isSeenOnly = (result: TaskResult): boolean =>
  summaryGroups(result, true).every(({ isSeen }) => isSeen);

function spanRow(result: TaskResult): string[] {
  const [ours, ...peers] = overallF1(result);
  const [best] = peers.toSorted((one, other) => other.f1 - one.f1);
  const show = (each: typeof ours) =>
    each ? `${fraction(each.f1)} / ${percent(each.wrong)}` : NONE;
  return [
    markSeen(result.task.title, isSeenOnly(result)),
    "F1 of spans / benign flagged",
    show(ours),
    best ? `${show(best)} (${best.name})` : NONE,
  ];
}

/** The best peer is the one with the highest share found beyond the share of benign texts flagged. */
function scoreRow(result: TaskResult): string[] {
  const scores = scoresOf(result);
  const positive = pool(summaryGroups(result, true));
  const negative = pool(summaryGroups(result, false));
  const [ours, ...peers] = listContenders(result).map(({ name, readings }) => ({
    name,
    found: flaggedShare(readings, positive),
    wrong: flaggedShare(readings, negative),
  }));
  const [best] = peers.toSorted(
    (one, other) => other.found - other.wrong - (one.found - one.wrong),
  );
  const show = (each: typeof ours) =>
    each ? `${percent(each.found)} / ${percent(each.wrong)}` : NONE;
  const recall = shareAbove(pick(scores, positive), limitAtRate(pick(scores, negative), 0.01));
  const auroc = computeAuroc(pick(scores, positive), pick(scores, negative));
  return [
    markSeen(result.task.title, isSeenOnly(result)),
    `found / benign flagged, \`${usualLevelOf(result)}\``,
    `${show(ours)}; ${percent(recall)} at 1 % FP; AUROC ${fraction(auroc)}`,
    best ? `${show(best)} (${best.name})` : NONE,
  ];
}
