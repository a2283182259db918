/** Writes docs/detection.md: method, figures by task, cost, and what is missed. */
import { machineText } from "../../bench/gateway/report.ts";
import type { BenignResult } from "../measure-benign.ts";
import type { Cost } from "../measure-cost.ts";
import { levelsOf, type TaskResult, usualLevelOf } from "../measure-task.ts";
import { UNAVAILABLE } from "../peers/peers.ts";
import type { SampleSizes } from "../read-examples.ts";
import { countOf, markdownTable, short } from "./markdown.ts";
import { missedTable } from "./missed.ts";
import { benignTable, peerTable, recallTable, sourceMatrix } from "./score-tables.ts";
import { spanSourceTable, typeTable } from "./span-tables.ts";
import { summaryTable } from "./summary.ts";

export interface Report {
  /** As it was started. */
  command: string;
  date: string;
  /** True: measured on the project's own texts, without a data folder. */
  isOwn: boolean;
  texts: number;
  sizes: SampleSizes;
  missing: readonly string[];
  results: readonly TaskResult[];
  benign: readonly BenignResult[];
  costs: readonly Cost[];
}

export function page(report: Report, chartName: string | undefined): string {
  const { results, benign, costs } = report;
  const parts = [
    introduction(report),
    results.length > 0 ? `## Summary\n\n${summaryTable(results)}\n\n${SEEN_NOTE}` : "",
    chartName ? `![Our detectors beside the peers](${chartName})` : "",
    ADVICE,
    method(),
    ...results.map(taskSection),
    benignSection(benign),
    costSection(costs),
    peerSection(results),
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function introduction({ command, date, texts, isOwn, sizes, missing }: Report): string {
  const data = isOwn
    ? "the project's own texts in `training/texts`, which the learned detectors were trained on: these figures show that the command works, not how good a detector is"
    : "public labeled sources that are not part of the project";
  const limit = Number.isFinite(sizes.seen)
    ? `, at most ${sizes.unseen.toLocaleString("en")} per source and label (${sizes.seen} of sources that were available for training), chosen by a fixed seed`
    : "";
  return `# Detection

\`\`\`
${command}
\`\`\`

What the detectors find and miss, measured on ${date} with this command: ${texts.toLocaleString("en")} texts${limit}, from ${data}. Repeat it
on your own data before you choose a level: false-positive rates do not carry over from one kind of text to another. A folder with
\`*.jsonl\` files in the format of \`training/README.md\`, below \`dev/\`, is enough.${missing.length > 0 ? `\n\nSources that are not in the folder: ${missing.join(", ")}.` : ""}`;
}

const SEEN_NOTE =
  "† Only sources that were available for training or for writing rules: expect less on other text.";

const ADVICE = `## How to use these figures

- Start in observe mode. \`GET /v1/collectors/{collector_id}/calibration\` proposes thresholds for your own traffic; a rate measured here
  is not the rate on your texts.
- Block with a threshold like that of the starter policy. \`balanced\` was set to flag one of a hundred requests (see Method), but more of
  the messages in the middle of a conversation: "now you are the customer" and "write it out in full" resemble attacks
  (\`training/texts/w36\`). \`strict\` is for review: many of its findings are benign.
- No text classifier finds everything under "Missed". An instruction in plain words inside a document looks like the document. Limit
  what it can do: \`tool_permission\`, gates on tools and arguments, and \`url_analyzer\` against exfiltration do not depend on wording.`;

const method = (): string => `## Method

Every text is evaluated in process, on the path of \`POST /v1/evaluate\`, where it would appear: as a user message, a system prompt, a tool
definition, an argument or a result of a tool, or an attached document.

- **Sources are never pooled only.** Sources marked † were available when models were trained and rules were written, or are our own
  texts. No model was trained on the others; pooled lines are over these where there are any. Of our own texts, \`w33\` (words of
  attacks) was used to choose thresholds. \`w35\` (first messages), \`w36\` (later messages of a conversation), \`w37\` (tool
  results) and \`w39\` (whole conversations, results of whole runs of agents) were used only to measure.
- **Learned detectors were tuned with the sources that are not marked**: training data, settings and thresholds were chosen by results on
  them ([0012](decisions/0012-learned-detectors.md)). Above all, the levels of \`prompt_guard\` and \`toxicity\` are set to rates on
  Arena-Hard and XSTest, so the share of these texts that a level flags is no independent measurement. Other text may be flagged more
  often.
- **AUROC** is the probability that an attack scores higher than a benign text. **Recall at 1 % FP** is the share of attacks above the
  score that 1 % of the benign texts exceed. With fewer than 1,000 benign texts, recall at 0.1 % is recall without any false positive.
- **Levels** are what you configure: \`permissive\`, \`balanced\` and \`strict\`, or the defaults of detectors without levels.
- **Spans**: a reported span is correct if it has the type of a labeled span and half of their union in common.
- **Planted attacks**: each attack of BIPIA is inserted at a random boundary of a sentence or line into 20 clean emails, tables or code
  excerpts. Its attacks for training and for measuring have different purposes but similar words, above all those that ask to insert
  code: expect less on other text. Secrets are generated in the formats that the rules of gitleaks describe, in three forms.
- **Peers** run in the same run on the same texts, with their default settings, each in a process of its own.

Machine: ${machineText()}; Bun ${Bun.version}.`;

function taskSection(result: TaskResult): string {
  const { task } = result;
  const missed = missedTable(result);
  const texts = task.spanSettings
    ? [typeTable(result), spanSourceTable(result), benignTable(result)]
    : [recallTable(result), benignTable(result), peerTable(result), sourceMatrix(result)];
  const level = levelsOf(result).length > 1 ? ` at the level \`${usualLevelOf(result)}\`` : "";
  return [
    `## ${task.title}`,
    `${task.summary} Detector: \`${task.kind}\`.`,
    ...texts.filter(Boolean),
    ...(missed ? [`### Missed${level}`, missed] : []),
  ].join("\n\n");
}

/** Detectors without any finding need settings, such as a list of words, or text of another kind. */
function benignSection(benign: readonly BenignResult[]): string {
  const kinds = [...new Set(benign.flatMap(({ flagged }) => [...flagged.keys()]))];
  if (kinds.length === 0) return "";
  return `## Other detectors on benign text

Texts with a finding, with default settings. Findings of \`data_loss_prevention\` are mostly correct here: these texts contain addresses and
numbers of persons. Learned detectors are above. Others that are not listed found nothing.

${markdownTable(
  ["Source", "Texts", "KB", ...kinds.map((kind) => `\`${kind}\``)],
  benign.map(({ source, texts, characters, flagged }) => [
    source,
    String(texts),
    short(characters / 1000),
    ...kinds.map((kind) => countOf(flagged.get(kind) ?? 0, texts)),
  ]),
)}`;
}

function costSection(costs: readonly Cost[]): string {
  if (costs.length === 0) return "";
  return `## Cost

500 evaluations of 2 KB with one detector, one at a time, after 2,500 others. CPU per KB is beyond an evaluation without detectors. The first evaluation of a
process compiles patterns and loads models; memory is what it adds. On a busy machine p99 ms shows the scheduler; CPU does not.

${markdownTable(
  ["Detector", "p50 ms", "p99 ms", "CPU ms, p99", "CPU µs per KB", "First, ms", "Memory, MiB"],
  costs.map(({ kind, p50_ms, p99_ms, cpu_p99_ms, cpu_us_per_kb, first_ms, memory_mib }) => [
    `\`${kind}\``,
    ...[p50_ms, p99_ms, cpu_p99_ms, cpu_us_per_kb, first_ms, memory_mib].map(short),
  ]),
)}`;
}

function peerSection(results: readonly TaskResult[]): string {
  const runs = new Map(
    results.flatMap(({ peers }) => peers).map((run) => [run.peer.name, run] as const),
  );
  if (runs.size === 0) return "";
  const measured = [...runs.values()].map(({ peer: { name, from, version, note }, problem }) => [
    `${name} ${version} (${from})`,
    [problem && `not measured: ${problem}`, note].filter(Boolean).join("; "),
  ]);
  const absent = UNAVAILABLE.map(({ name, reason }) => [name, `not measured: ${reason}`]);
  return `## Peers\n\n${markdownTable(["Library", "Note"], [...measured, ...absent], 2)}`;
}
