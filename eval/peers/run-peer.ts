/** Installs a peer and runs it over texts, in a process of its own. */
import { join } from "node:path";
import { installFromNpm } from "../../test/kit/install-from-npm.ts";
import { installFromPypi } from "../../test/kit/install-from-pypi.ts";
import type { Reading } from "../measure-task.ts";
import { commonTypeOf } from "../readers/read-personal-data.ts";
import type { TaskName } from "../tasks.ts";
import { PEERS, type Peer } from "./peers.ts";

export interface PeerRun {
  peer: Peer;
  /** In the order of the texts. Undefined if it could not run. */
  readings?: readonly Reading[];
  /** Why it could not run. */
  problem?: string;
}

/** A peer that takes longer is reported as such. */
const TIMEOUT_MS = 300_000;

/** Runs the peers of a task one after the other, so that their times are comparable. */
export async function runPeers(
  task: TaskName,
  texts: readonly string[],
  onProgress: (peer: string) => void,
): Promise<PeerRun[]> {
  const runs: PeerRun[] = [];
  for (const peer of PEERS.filter(({ tasks }) => tasks.includes(task))) {
    onProgress(peer.name);
    try {
      runs.push({ peer, readings: await runPeer(peer, task, texts) });
    } catch (thrown) {
      runs.push({ peer, problem: thrown instanceof Error ? thrown.message : String(thrown) });
    }
  }
  return runs;
}

async function runPeer(peer: Peer, task: TaskName, texts: readonly string[]): Promise<Reading[]> {
  const command = peer.from === "npm" ? await prepareNpm(peer) : await preparePython(peer);
  const child = Bun.spawn([...command, task], {
    stdin: Buffer.from(JSON.stringify(texts)),
    stdout: "pipe",
    stderr: "ignore",
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const lines = (await new Response(child.stdout).text()).split("\n").filter(Boolean);
  await child.exited;
  if (child.signalCode) throw new Error(`takes more than ${TIMEOUT_MS / 1000} s`);
  if (lines.length !== texts.length) throw new Error(`failed after ${lines.length} texts`);
  return lines.map((line) => toCommonTypes(JSON.parse(line) as Reading));
}

/** Omits spans of types that are not scored. */
const toCommonTypes = (reading: Reading): Reading => ({
  ...reading,
  spans: reading.spans.flatMap((span) => {
    const type = span.type === "secret" ? span.type : commonTypeOf(span.type);
    return type ? [{ ...span, type }] : [];
  }),
});

async function prepareNpm({ name, version, needs = {} }: Peer): Promise<string[]> {
  const cache = `portcullis-eval-${name.replaceAll(/\W+/g, "-")}`;
  const folder = await installFromNpm(cache, { [name]: version, ...needs }).catch(() => {
    throw new Error("could not be installed from npm");
  });
  return [process.execPath, join(import.meta.dir, "npm-peer.ts"), name, folder];
}

async function preparePython({ name, version }: Peer): Promise<string[]> {
  const folder = await installFromPypi(`portcullis-eval-${name}`, `${name}==${version}`);
  return [join(folder, "bin/python"), join(import.meta.dir, "pypi_peer.py"), name];
}
