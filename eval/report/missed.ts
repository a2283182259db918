/** The classes of attacks that are found least, described in our own words. */
import type { Example } from "../example.ts";
import { readingsOf, type TaskResult, usualLevelOf } from "../measure-task.ts";
import { CLASS_DESCRIPTIONS } from "./class-descriptions.ts";
import { countFlagged, pool, summaryGroups } from "./groups.ts";
import { countOf, markdownTable } from "./markdown.ts";

/** Classes with fewer texts say little. */
const MIN_TEXTS = 5;
const MAX_ROWS = 15;

export function missedTable(result: TaskResult): string {
  const readings = readingsOf(result, usualLevelOf(result));
  const classes = Map.groupBy(pool(summaryGroups(result, true)), (index) =>
    classOf(result.examples[index] as Example),
  );
  const rows = [...classes]
    .filter(([name, own]) => name !== "" && own.length >= MIN_TEXTS)
    .map(([name, own]) => ({ name, own, found: countFlagged(readings, own) }))
    .filter(({ own, found }) => found < own.length)
    .sort((one, other) => one.found / one.own.length - other.found / other.own.length)
    .slice(0, MAX_ROWS);
  if (rows.length === 0) return "";
  return markdownTable(
    ["Kind of text", "Texts", "Missed"],
    rows.map(({ name, own, found }) => [
      CLASS_DESCRIPTIONS[name] ?? name.replaceAll("_", " "),
      String(own.length),
      countOf(own.length - found, own.length),
    ]),
  );
}

/** Returns an empty text for sources without classes that are not described either. */
const classOf = ({ class: name, source }: Example): string =>
  name || (source in CLASS_DESCRIPTIONS ? source : "");
