/** Groups the texts of a task by source, and compares our detector with its peers. */
import type { Example } from "../example.ts";
import { type Reading, readingsOf, type TaskResult, usualLevelOf } from "../measure-task.ts";

export interface Group {
  name: string;
  isPositive: boolean;
  isSeen: boolean;
  /** Positions of its texts in the examples of the task. */
  indexes: readonly number[];
}

/** Returns one group per source and label: sources that were not available for training come first. */
export function groupBySource({ examples }: TaskResult): Group[] {
  const groups = Map.groupBy(examples.keys(), (index) => {
    const { source, isPositive } = examples[index] as Example;
    return `${source}\n${isPositive}`;
  });
  return [...groups.values()]
    .map((indexes) => {
      const { source, isPositive, isSeen } = examples[indexes[0] ?? 0] as Example;
      return { name: source, isPositive, isSeen, indexes };
    })
    .sort((one, other) => Number(one.isSeen) - Number(other.isSeen));
}

/** Returns the groups of one label that count in summaries: those that are not seen, or all if all are. */
export function summaryGroups(result: TaskResult, isPositive: boolean): Group[] {
  const groups = groupBySource(result).filter((group) => group.isPositive === isPositive);
  const unseen = groups.filter(({ isSeen }) => !isSeen);
  return unseen.length > 0 ? unseen : groups;
}

/** Joins groups to one, for a pooled line. */
export const pool = (groups: readonly Group[]): number[] =>
  groups.flatMap(({ indexes }) => indexes);

/** Returns the name of the pooled line. */
export const poolName = (groups: readonly Group[]): string =>
  groups.some(({ isSeen }) => !isSeen) ? "**All that were not seen**" : "**All**";

/** A detector with its readings at the setting that it has without configuration. */
export interface Contender {
  name: string;
  readings: readonly Reading[];
}

export const OURS = "Portcullis";

/** Returns our detector and the peers that ran. */
export function listContenders(result: TaskResult, configuration?: string): Contender[] {
  const own = readingsOf(result, configuration ?? usualLevelOf(result));
  const peers = result.peers.flatMap(({ peer, readings }) =>
    readings ? [{ name: peer.name, readings }] : [],
  );
  return [{ name: OURS, readings: own }, ...peers];
}

export const pick = <T>(values: readonly T[], indexes: readonly number[]): T[] =>
  indexes.map((index) => values[index] as T);

export const flaggedShare = (readings: readonly Reading[], indexes: readonly number[]): number =>
  countFlagged(readings, indexes) / indexes.length;

export const countFlagged = (readings: readonly Reading[], indexes: readonly number[]): number =>
  indexes.filter((index) => readings[index]?.isFlagged).length;
