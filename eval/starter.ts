/** npm run eval:starter -- DATA: proposes both thresholds of the starter policy, and writes its section of docs/detection.md. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { learnedModels } from "../src/evaluate/learned-models.ts";
import { thresholdAtRate, thresholdAtRecall } from "./metrics.ts";
import { SCORE, startPortcullis } from "./portcullis.ts";
import { countOf, markdownTable, percent } from "./report/markdown.ts";
import { placeStarterSection } from "./report/starter-section.ts";
import { DOCUMENTS, FILES, readStarterTexts, type StarterText } from "./starter-sources.ts";

type ScoredText = StarterText & { score: number };

/** Shares of harmless texts that may be touched. */
const MAX_MESSAGES = 0.001;
const MAX_RESULTS = 0.01;
/** Share of the attacks of users that must be found: it decides if both goals cannot be met. */
const MIN_RECALL = 0.4;
const READS_OF_SESSION = 50;

const [data] = process.argv.slice(2);
if (data === undefined || !existsSync(data)) {
  console.error("Pass a folder with train/ and dev/.");
  process.exit(2);
}
const texts = await scoreTexts(await readStarterTexts(data));
const { cascade } = await learnedModels.loadWindowScorer();
const path = resolve(import.meta.dir, "../docs/detection.md");
const text = section();
await Bun.write(path, placeStarterSection(await Bun.file(path).text(), text));
console.log(text);

async function scoreTexts(all: readonly StarterText[]): Promise<ScoredText[]> {
  await using portcullis = await startPortcullis();
  const createGuard = (kind: string) =>
    portcullis.createGuard([{ name: SCORE, kind, settings: { threshold: 0 } }]);
  const forUsers = await createGuard("prompt_guard");
  const forOthers = await createGuard("indirect_prompt_injection");
  const scored: ScoredText[] = [];
  for (const each of all) {
    const findings = await (each.origin === "user" ? forUsers : forOthers).evaluate(each);
    scored.push({ ...each, score: findings.get(SCORE)?.signal.confidence ?? 0 });
    if (scored.length % 1000 === 0) console.error(`${scored.length} of ${all.length} texts`);
  }
  return scored;
}

/** Returns the strictest threshold of all groups: one that is chosen for long texts fails on short ones, and vice versa. */
function chooseForResults(harmless: readonly ScoredText[]): number {
  const groups = [...Map.groupBy(harmless, ({ group }) => group).values()];
  return Math.max(...groups.map((own) => thresholdAtRate(scoresOf(own), MAX_RESULTS)));
}

function scoresOf(all: readonly ScoredText[]): number[] {
  return all.map(({ score }) => score);
}

function reach(all: readonly ScoredText[], threshold: number): number {
  return all.filter(({ score }) => score >= threshold).length;
}

function shareOf(all: readonly ScoredText[], threshold: number): string {
  return percent(reach(all, threshold) / all.length);
}

/** Returns the texts of users or of others, by label, and whether they are used to choose. */
function select(isUser: boolean, isPositive: boolean, isForChoice = true): ScoredText[] {
  return texts.filter(
    (each) =>
      (each.origin === "user") === isUser &&
      each.isPositive === isPositive &&
      (each.group !== undefined) === isForChoice,
  );
}

function table(title: string, isUser: boolean, isPositive: boolean, levels: number[]): string {
  const chosen = select(isUser, isPositive);
  const checked = select(isUser, isPositive, false);
  const rows: (readonly [string, ScoredText[]])[] = [
    ...Map.groupBy(chosen, ({ source }) => source),
    ["**All of these**", chosen],
    ...[...Map.groupBy(checked, ({ source }) => source)].map(
      ([name, of]) => [`${name} ‡`, of] as const,
    ),
  ];
  return markdownTable(
    [title, "Texts", "`permissive`", "`balanced`", "`strict`", "Starter"],
    rows.map(([name, of]) => [
      ...[name, String(of.length)],
      ...levels.map((level) =>
        isPositive ? shareOf(of, level) : countOf(reach(of, level), of.length),
      ),
    ]),
  );
}

function section(): string {
  const [harmless, attacks, checked] = [
    select(true, false),
    select(true, true),
    select(true, false, false),
  ];
  const [files, planted] = [select(false, false), select(false, true)];
  const direct = thresholdAtRecall(scoresOf(attacks), MIN_RECALL);
  const indirect = chooseForResults(files);
  const levels = cascade.thresholds.prompt_injection;
  const indirectLevels = cascade.thresholds.indirect_prompt_injection;
  const touched = (of: readonly ScoredText[]) =>
    `${reach(of, direct)} of ${of.length.toLocaleString("en")} (${((100 * reach(of, direct)) / of.length).toFixed(2)} %)`;
  const sessions = (group: string) => {
    const of = files.filter(({ source }) => source.startsWith(group));
    const share = (level: number) =>
      percent(1 - (1 - reach(of, level) / of.length) ** READS_OF_SESSION);
    return `${share(indirect)} of the sessions that read ${READS_OF_SESSION} ${group} (\`permissive\`: ${share(indirectLevels.permissive)})`;
  };
  return `## The starter policy

\`\`\`
npm run eval:starter -- DATA
\`\`\`

New installations block a user's message whose \`prompt_guard\` score is at least **${direct}**, and withhold the passage of a tool result or
document whose \`indirect_prompt_injection\` score is at least **${indirect}**. This command chose both on ${new Date().toISOString().slice(0, 10)}, on ${texts.length.toLocaleString("en")} texts that no
model was trained on.

- **Goal**: at most ${MAX_MESSAGES * 100} % of harmless messages, and ${MAX_RESULTS * 100} % of harmless tool results, documents and files: of each group by
  itself (short results, and ${DOCUMENTS} and ${FILES}, whole and in parts of 50 to 400 lines), because a threshold that
  is chosen on long texts alone fails on short ones.
- **Messages**: the goal holds from ${thresholdAtRate(scoresOf(harmless), MAX_MESSAGES)} on. Other sources (‡) are blocked more often, so the threshold is the highest that
  finds ${MIN_RECALL * 100} % of the attacks: ${touched(harmless)} harmless messages are blocked, and ${touched(checked)} of
  other sources, mostly short requests to change the previous reply, to play a role, or about the model itself, and messages of people
  who try to make a model say something harmful (\`hh_harmless_test\`).
- **Cost**: ${shareOf(attacks, direct)} of the attacks of users are found (\`permissive\`: ${shareOf(attacks, levels.permissive)}), and ${shareOf(planted, indirect)} of the planted ones
  (\`permissive\`: ${shareOf(planted, indirectLevels.permissive)}).
- **Sessions**: a passage is withheld in ${sessions(DOCUMENTS)}, many of which
  address a model, and in ${sessions(FILES)}.

${table("Harmless messages", true, false, [...Object.values(levels), direct])}

${table("Attacks of users", true, true, [...Object.values(levels), direct])}

${table("Harmless results, documents and files", false, false, [...Object.values(indirectLevels), indirect])}

${table("Planted attacks", false, true, [...Object.values(indirectLevels), indirect])}

‡ Not used to choose; those of \`dev/\` are public: tatsu-lab/alpaca_eval, lm-sys/FastChat (MT-Bench), Open-Assistant/oasst-model-eval,
nlpxucan/WizardLM, SWE-agent/SWE-agent, sierra-research/tau2-bench. Of attached documents, \`strict\` reports the names too.

`;
}
