/** Runs the detector of a task, and its peers, over the texts of the task. */
import type { Finding } from "../src/contract/guard/evaluate.ts";
import { detectors } from "../src/policy/detectors/all.ts";
import type { Example } from "./example.ts";
import type { PeerRun } from "./peers/run-peer.ts";
import {
  type Configuration,
  DEFAULT,
  listConfigurations,
  type Portcullis,
  SCORE,
} from "./portcullis.ts";
import { commonTypeOf } from "./readers/read-personal-data.ts";
import type { Span } from "./score-spans.ts";
import type { Task } from "./tasks.ts";

/** Verdict of a detector on one text. */
export interface Reading {
  isFlagged: boolean;
  /** 0 to 1. */
  score: number;
  spans: readonly Span[];
  /** Time and CPU of this text. Undefined if several configurations were evaluated together. */
  time?: { ms: number; cpu_us: number };
}

export interface TaskResult {
  task: Task;
  examples: readonly Example[];
  /** Readings of our detector by configuration, in the order of the examples. */
  ours: ReadonlyMap<string, readonly Reading[]>;
  peers: readonly PeerRun[];
}

/** Names of the configurations whose verdicts are reported: the levels, or the default. */
export const levelsOf = ({ ours }: Pick<TaskResult, "ours">): string[] =>
  [...ours.keys()].filter((name) => name !== SCORE && name !== SPANS);

/** Name of the configuration that a new rule has. */
export const usualLevelOf = (result: Pick<TaskResult, "ours">): string => {
  const levels = levelsOf(result);
  return levels.includes(BALANCED) ? BALANCED : (levels[0] ?? DEFAULT);
};
const BALANCED = "balanced";

/** Name of the configuration whose spans are compared. */
export const SPANS = "spans";

export const readingsOf = ({ ours }: TaskResult, name: string): readonly Reading[] =>
  ours.get(name) ?? [];

/** Returns the scores of all texts: those at threshold 0, or those of the findings if there is no threshold. */
export const scoresOf = (result: TaskResult): readonly number[] => {
  const name = result.ours.has(SCORE) ? SCORE : usualLevelOf(result);
  return readingsOf(result, name).map(({ score }) => score);
};

/** Texts before the measurement, so that the code is compiled. */
const WARM_UP = 300;

export async function measureOurs(
  portcullis: Portcullis,
  { kind, spanSettings }: Task,
  examples: readonly Example[],
): Promise<TaskResult["ours"]> {
  const detector = detectors.get(kind);
  if (!detector) throw new Error(`Unknown detector kind "${kind}".`);
  const configurations = listConfigurations(detector);
  const score = configurations.find(({ name }) => name === SCORE);
  const scored = score && (await readAll(portcullis, score, examples));
  const ours = new Map<string, readonly Reading[]>(scored ? [[SCORE, scored]] : []);
  for (const configuration of configurations) {
    if (configuration === score) continue;
    const readings =
      scored && configuration.name !== DEFAULT
        ? await readLevel(portcullis, configuration, examples, scored)
        : await readAll(portcullis, configuration, examples);
    ours.set(configuration.name, readings);
  }
  if (spanSettings) {
    const configuration = { name: SPANS, kind, settings: spanSettings };
    ours.set(SPANS, await readAll(portcullis, configuration, examples));
  }
  return ours;
}

async function readAll(
  portcullis: Portcullis,
  configuration: Configuration,
  examples: readonly Example[],
): Promise<Reading[]> {
  const { evaluate } = await portcullis.createGuard([configuration]);
  // Other texts than those measured: scores of text that was seen before are cached.
  for (const { text, origin } of examples.slice(0, WARM_UP)) {
    await evaluate({ text: `Warm-up. ${text}`, origin });
  }
  const readings: Reading[] = [];
  for (const example of examples) {
    const cpu = process.cpuUsage();
    const began = performance.now();
    const findings = await evaluate(example);
    const ms = performance.now() - began;
    const { user, system } = process.cpuUsage(cpu);
    const time = { ms, cpu_us: user + system };
    readings.push({ ...toReading(findings.get(configuration.name)), time });
  }
  return readings;
}

/**
 * Returns the readings at a level. A level is a threshold of the score, so it is found by bisection: a learned detector
 * takes milliseconds per text.
 */
async function readLevel(
  portcullis: Portcullis,
  configuration: Configuration,
  examples: readonly Example[],
  scored: readonly Reading[],
): Promise<Reading[]> {
  const { evaluate } = await portcullis.createGuard([configuration]);
  const ascending = scored
    .map(({ score }, index) => ({ score, index }))
    .sort((one, other) => one.score - other.score);
  let [first, end] = [0, ascending.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    const example = examples[ascending[middle]?.index ?? 0] as Example;
    if ((await evaluate(example)).size > 0) end = middle;
    else first = middle + 1;
  }
  const threshold = ascending[first]?.score ?? Number.POSITIVE_INFINITY;
  return scored.map((reading) => ({ ...reading, isFlagged: reading.score >= threshold }));
}

function toReading(finding: Finding | undefined): Reading {
  if (!finding) return NOT_FLAGGED;
  const places = finding.evidence.places as {
    label: string;
    type: string;
    start?: number;
    end?: number;
  }[];
  return {
    isFlagged: true,
    score: finding.signal.confidence,
    spans: places.flatMap(({ label, type, start, end }) => {
      const common = type === "secret" ? "secret" : commonTypeOf(label);
      return common && start !== undefined && end !== undefined
        ? [{ type: common, start, end }]
        : [];
    }),
  };
}

const NOT_FLAGGED: Reading = { isFlagged: false, score: 0, spans: [] };
