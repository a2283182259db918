/** CPU of a stream whose API format the upstream supports, and of one that is translated. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Check } from "./checks.ts";
import { separateCores } from "./cores.ts";
import { startPortcullis } from "./gateway/portcullis.ts";
import { freePort, startProgram } from "./gateway/process.ts";
import { machineText } from "./gateway/report.ts";
import { streams } from "./gateway/workloads.ts";

const quick = process.argv.includes("--quick");
const ROUNDS = quick ? 1 : 7;
const SECONDS = 2;
const STREAMS = 16;

export async function run(): Promise<readonly Check[]> {
  const cores = separateCores();
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const paced = freePort();
  const mock = [process.execPath, resolve("bench/gateway/mock.ts"), String(paced)];
  await startProgram(stack, mock, { port: paced, log: join(folder, "mock.log") });
  const upstreams = { plain: paced, paced };
  const portcullis = await startPortcullis(stack, { cores, folder, upstreams });
  const translated = await portcullis.attach("anthropic", `http://127.0.0.1:${paced}/v1`);
  const path = "/v1/chat/completions";
  const rows = [
    { name: "chat client, chat upstream", target: portcullis.target("paced", path) },
    { name: "chat client, messages upstream", target: translated(path) },
  ].map((row) => ({ ...row, cpu_us: [] as number[], p50_ms: [] as number[] }));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const { name, target, cpu_us, p50_ms } of rows) {
      const before = portcullis.program.cpuUs();
      const pass = await streams(target, STREAMS, SECONDS);
      if (pass.failed) throw new Error(`${name}: ${pass.failed} of ${pass.requests} failed.`);
      if (round < 0) continue; // warms up
      cpu_us.push((portcullis.program.cpuUs() - before) / pass.requests);
      p50_ms.push(pass.p50_ms);
    }
  }
  console.log(`Translation: streams of 20 chunks, ${STREAMS} at once, ${cores.how}\n`);
  console.log("| | CPU µs per stream | × same format | first chunk, p50 ms |\n|---|--:|--:|--:|");
  const same = median(rows[0]?.cpu_us ?? []);
  for (const { name, cpu_us, p50_ms } of rows) {
    const cpu = median(cpu_us);
    const ratio = (cpu / same).toFixed(2);
    console.log(`| ${name} | ${cpu.toFixed(0)} | ${ratio} | ${median(p50_ms).toFixed(2)} |`);
  }
  console.log(`\nMachine: ${machineText()}.`);
  return [];
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
