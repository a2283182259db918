/** Charts of docs/detection.md: recall by source, and our detectors beside the peers. */
import { drawBars, type Panel } from "../../bench/bar-chart.ts";
import { scoresOf, type TaskResult } from "../measure-task.ts";
import { limitAtRate, shareAbove } from "../metrics.ts";
import { flaggedShare, listContenders, OURS, pick, pool, summaryGroups } from "./groups.ts";
import { overallF1 } from "./span-tables.ts";

const NAME_WIDTH = 350;

/** Returns undefined if nothing was measured. */
export function chart(results: readonly TaskResult[]): string | undefined {
  const panels = results.flatMap((result): Panel[] =>
    result.task.spanSettings
      ? [spanPanel(result)]
      : [recallPanel(result), ...comparisonPanels(result)],
  );
  return panels.length > 0 ? drawBars(panels, NAME_WIDTH) : undefined;
}

function spanPanel(result: TaskResult): Panel {
  const bars = overallF1(result).map(({ name, f1 }) => toBar(name, f1 || 0));
  return { title: `${result.task.title}: F1 of spans (more is better)`, unit: "", bars };
}

const toBar = (name: string, value: number) => ({ name, value, isOurs: name === OURS });

function recallPanel(result: TaskResult): Panel {
  const scores = scoresOf(result);
  const limit = limitAtRate(pick(scores, pool(summaryGroups(result, false))), 0.01);
  return {
    title: `${result.task.title}: recall at 1 % false positives`,
    unit: "%",
    bars: summaryGroups(result, true).map(({ name, indexes }) => ({
      ...{ name, value: shareAbove(pick(scores, indexes), limit) * 100, isOurs: true },
    })),
  };
}

function comparisonPanels(result: TaskResult): Panel[] {
  const contenders = listContenders(result);
  if (contenders.length === 1) return [];
  const bars = (isPositive: boolean) => {
    const indexes = pool(summaryGroups(result, isPositive));
    return contenders.map(({ name, readings }) =>
      toBar(name, indexes.length > 0 ? flaggedShare(readings, indexes) * 100 : 0),
    );
  };
  const { title } = result.task;
  return [
    { title: `${title}: attacks found by default (more is better)`, unit: "%", bars: bars(true) },
    { title: `${title}: benign texts flagged (less is better)`, unit: "%", bars: bars(false) },
  ];
}
