/** Tables of a task that scores whole texts: by source, benign text, and the peers. */
import { levelsOf, readingsOf, scoresOf, type TaskResult } from "../measure-task.ts";
import { computeAuroc, limitAtRate, percentile, shareAbove } from "../metrics.ts";
import {
  type Contender,
  countFlagged,
  flaggedShare,
  groupBySource,
  listContenders,
  OURS,
  pick,
  pool,
  poolName,
  summaryGroups,
} from "./groups.ts";
import { countOf, fraction, markdownTable, NONE, percent, short } from "./markdown.ts";

const RATES = [0.01, 0.001];

/** Returns AUROC, recall at fixed false-positive rates and at each level, by source. */
export function recallTable(result: TaskResult): string {
  const scores = scoresOf(result);
  const negative = pick(scores, pool(summaryGroups(result, false)));
  const limits = RATES.map((rate) => limitAtRate(negative, rate));
  const levels = levelsOf(result);
  const row = (name: string, indexes: readonly number[]) => {
    const own = pick(scores, indexes);
    return [
      name,
      String(indexes.length),
      fraction(computeAuroc(own, negative)),
      ...limits.map((limit) => (negative.length > 0 ? percent(shareAbove(own, limit)) : NONE)),
      ...levels.map((level) => percent(flaggedShare(readingsOf(result, level), indexes))),
    ];
  };
  const positive = groupBySource(result).filter(({ isPositive }) => isPositive);
  const summary = summaryGroups(result, true);
  const header = ["Attacks", "Texts", "AUROC", "Recall at 1 % FP", "At 0.1 % FP"];
  return markdownTable(
    [...header, ...levels.map((level) => `Found, ${level}`)],
    [
      ...positive.map(({ name, isSeen, indexes }) => row(markSeen(name, isSeen), indexes)),
      row(poolName(summary), pool(summary)),
    ],
  );
}

/** Marks sources that were available for training. */
export const markSeen = (name: string, isSeen: boolean): string => (isSeen ? `${name} †` : name);

/** Returns the benign texts that each level flags, by source. */
export function benignTable(result: TaskResult): string {
  const levels = levelsOf(result);
  const row = (name: string, indexes: readonly number[]) => [
    name,
    String(indexes.length),
    ...levels.map((level) =>
      countOf(countFlagged(readingsOf(result, level), indexes), indexes.length),
    ),
  ];
  const groups = groupBySource(result).filter(({ isPositive }) => !isPositive);
  if (groups.length === 0) return "";
  const summary = summaryGroups(result, false);
  return markdownTable(
    ["Benign", "Texts", ...levels.map((level) => `Flagged, ${level}`)],
    [
      ...groups.map(({ name, isSeen, indexes }) => row(markSeen(name, isSeen), indexes)),
      row(poolName(summary), pool(summary)),
    ],
  );
}

/** Compares the peers at their own settings with our detector at the same false-positive rate. */
export function peerTable(result: TaskResult): string {
  const contenders = listContenders(result);
  if (contenders.length === 1) return "";
  const positive = pool(summaryGroups(result, true));
  const negative = pool(summaryGroups(result, false));
  const scores = scoresOf(result);
  const rows = contenders.map((contender) => {
    const { name, readings } = contender;
    const own = name === OURS ? scores : readings.map(({ score }) => score);
    const rate = flaggedShare(readings, negative);
    const limit = limitAtRate(pick(scores, negative), rate);
    return [
      name,
      percent(flaggedShare(readings, positive)),
      percent(rate),
      fraction(computeAuroc(pick(own, positive), pick(own, negative))),
      name === OURS ? NONE : percent(shareAbove(pick(scores, positive), limit)),
      ...timeCells(result, contender),
    ];
  });
  const header = ["", "Attacks found", "Benign flagged", "AUROC", `${OURS} at that rate`];
  return markdownTable([...header, ...TIME_HEADER], rows);
}

export const TIME_HEADER = ["p50 ms", "p99 ms", "Slowest, ms", "CPU µs per KB"];

/** Returns the times of a contender per text. */
export function timeCells({ examples }: TaskResult, { readings }: Contender): string[] {
  const times = readings.flatMap(({ time }) => time ?? []);
  const ms = times.map((time) => time.ms);
  const cpu_us = times.reduce((sum, time) => sum + time.cpu_us, 0);
  const characters = examples.reduce((sum, { text }) => sum + text.length, 0);
  return [
    ...[0.5, 0.99, 1].map((share) => percentile(ms, share)),
    cpu_us / (characters / 1000),
  ].map(short);
}

/** Returns what each contender flags at its own settings, by source. */
export function sourceMatrix(result: TaskResult): string {
  const contenders = listContenders(result);
  if (contenders.length === 1) return "";
  const rows = groupBySource(result).map(({ name, isSeen, isPositive, indexes }) => [
    `${markSeen(name, isSeen)}${isPositive ? "" : ", benign"}`,
    ...contenders.map(({ readings }) => percent(flaggedShare(readings, indexes))),
  ]);
  return markdownTable(["Flagged, by source", ...contenders.map(({ name }) => name)], rows);
}
