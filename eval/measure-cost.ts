/** Measures time and CPU of a detector, on text that the sources consist of. */
import { join } from "node:path";
import type { Detector } from "../src/policy/detector.ts";
import type { Example, Origin } from "./example.ts";
import { percentile } from "./metrics.ts";
import type { Guard, Portcullis } from "./portcullis.ts";

export interface Cost {
  kind: string;
  /** Of an evaluation of 2 KB with this detector alone, in milliseconds. */
  p50_ms: number;
  p99_ms: number;
  cpu_p99_ms: number;
  /** Beyond an evaluation without detectors, in microseconds per KB of text. */
  cpu_us_per_kb: number;
  /** Duration of the first evaluation of a process, in milliseconds. It compiles patterns and loads models. */
  first_ms: number;
  /** Memory that the first evaluations add, in MiB. */
  memory_mib: number;
}

/** Per round. */
const TEXTS = 100;
const CHARACTERS = 2048;
/** The JIT compiler still works on the code of a detector in the first 2,000 evaluations. */
const WARM_UP = 25;
const ROUNDS = 5;

/** Measures each detector alone. Detectors that read none of the origins are omitted. */
export async function measureCosts(
  portcullis: Portcullis,
  kinds: readonly Detector[],
  examples: readonly Example[],
  onProgress: (kind: string) => void,
): Promise<Cost[]> {
  const sets = cutTexts(examples);
  const none = await portcullis.createGuard([]);
  const costs: Cost[] = [];
  for (const { kind, reads } of kinds) {
    const origin = ORIGIN_OF.find(([source]) => reads.input.includes(source))?.[1];
    if (!origin) continue;
    onProgress(kind);
    const guard = await portcullis.createGuard([{ name: kind, kind, settings: {} }]);
    const rounds: { own: Times; none: Times }[] = [];
    for (const [round, texts] of sets.entries()) {
      const times = {
        own: await timeTexts(guard, texts, origin),
        none: await timeTexts(none, texts, origin),
      };
      if (round >= WARM_UP) rounds.push(times);
    }
    const own = rounds.flatMap((round) => round.own);
    const added = rounds.map((round) => sumCpu(round.own) - sumCpu(round.none));
    const kilobytes = (TEXTS * CHARACTERS) / 1000;
    costs.push({
      kind,
      p50_ms: percentile(
        own.map(({ ms }) => ms),
        0.5,
      ),
      p99_ms: percentile(
        own.map(({ ms }) => ms),
        0.99,
      ),
      cpu_p99_ms:
        percentile(
          own.map(({ cpu_us }) => cpu_us),
          0.99,
        ) / 1000,
      // The median round: another process may disturb some of them.
      cpu_us_per_kb: Math.max(0, percentile(added, 0.5)) / kilobytes,
      ...measureLoad(kind, origin),
    });
  }
  return costs;
}

const ORIGIN_OF = [
  ["user", "user"],
  ["tool_result", "tool_result"],
  ["tool_arguments", "tool_arguments"],
  ["attachment", "document"],
] as const;

/** Returns texts of 2 KB for each round, all different: scores of text that was seen before are cached. */
function cutTexts(examples: readonly Example[]): string[][] {
  const all = examples.map(({ text }) => text).join("\n\n");
  const sets = WARM_UP + ROUNDS;
  const step = Math.max(1, Math.floor((all.length - CHARACTERS) / (sets * TEXTS)));
  return Array.from({ length: sets }, (_, set) =>
    Array.from({ length: TEXTS }, (_, at) => {
      const start = (at * sets + set) * step;
      return all.slice(start, start + CHARACTERS).toWellFormed();
    }),
  );
}

type Times = { ms: number; cpu_us: number }[];

async function timeTexts(guard: Guard, texts: readonly string[], origin: Origin): Promise<Times> {
  const times: Times = [];
  for (const text of texts) {
    const cpu = process.cpuUsage();
    const began = performance.now();
    await guard.evaluate({ text, origin });
    const ms = performance.now() - began;
    const { user, system } = process.cpuUsage(cpu);
    times.push({ ms, cpu_us: user + system });
  }
  return times;
}

const sumCpu = (times: Times): number => times.reduce((sum, { cpu_us }) => sum + cpu_us, 0);

/** Runs in a process of its own, in which no detector has been used before. */
function measureLoad(kind: string, origin: Origin): Pick<Cost, "first_ms" | "memory_mib"> {
  const script = join(import.meta.dir, "measure-load.ts");
  const { stdout, stderr, success } = Bun.spawnSync([process.execPath, script, kind, origin]);
  if (!success) throw new Error(`${kind}: the first evaluation failed.\n${stderr}`);
  return JSON.parse(stdout.toString());
}
