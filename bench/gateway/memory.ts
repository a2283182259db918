/** Measures the memory of very large uploads and of many requests, each on a new server. */
import { readdirSync, readlinkSync } from "node:fs";
import { atMost, type Check } from "../checks.ts";
import { openConnection } from "./connection.ts";
import type { Setting } from "./contenders.ts";
import { form, MIB, type Part } from "./form.ts";
import { type Portcullis, startPortcullis } from "./portcullis.ts";
import { headOf } from "./workloads.ts";

export const UPLOAD_GROWTH = "Growth while 1 GiB goes to `/v1/files`";
export const IN_FLIGHT_MEMORY = "Memory while they were in flight";

export async function checkMemory(setting: Setting): Promise<Check[]> {
  return [
    await fresh(setting, async (portcullis) => {
      const growth = await growthOf(portcullis, "/v1/files", [
        { name: "purpose", value: "batch" },
        { size: 1024 * MIB },
      ]);
      return growthCheck(UPLOAD_GROWTH, growth);
    }),
    ...(await fresh(setting, async (portcullis) => {
      const before = filesOf(portcullis);
      const growth = await growthOf(portcullis, "/v1/audio/transcriptions", [
        { size: 256 * MIB },
        { name: "model", value: "whisper-1" },
      ]);
      await Bun.sleep(200); // the last file may be closed just after the response
      const left = filesOf(portcullis).filter((name) => !before.includes(name));
      return [
        growthCheck("Growth while 256 MiB are transcribed, `model` after the file", growth),
        {
          what: "Temporary files left by that",
          measured: left.join(", ") || "none",
          target: "none",
          pass: !left.length,
        },
      ];
    })),
    ...(await fresh(setting, (portcullis) => manyInFlight(portcullis, setting.upstreams.paced))),
  ];
}

const MAX_GROWTH_MIB = 48;

const growthCheck = (what: string, growth: number): Check =>
  atMost(what, growth, { max: MAX_GROWTH_MIB, unit: "MiB", digits: 0 });

async function fresh<T>(
  setting: Setting,
  work: (portcullis: Portcullis) => Promise<T>,
): Promise<T> {
  await using stack = setting.stack.use(new AsyncDisposableStack());
  const portcullis = await startPortcullis(stack, setting);
  // So that what every program loads once is not counted as growth.
  await growthOf(portcullis, "/v1/audio/transcriptions", [
    { name: "model", value: "whisper-1" },
    { size: MIB },
  ]);
  return await work(portcullis);
}

async function growthOf({ program, target }: Portcullis, path: string, parts: Part[]) {
  const { type, length, parts: bytes } = form(parts);
  const to = target("paced", path);
  program.resetPeak();
  const before = program.rssMib();
  const connection = await openConnection(to.port);
  const { status, text } = await connection.ask(headOf(to, type, length), bytes);
  connection.close();
  if (status !== 200 || !text.includes(`"bytes":${length}`)) throw new Error(`${path}: ${text}`);
  return program.peakMib() - before;
}

/** Files in the data folder, and those that are still open there but have no name any more. */
function filesOf({ program, data_folder }: Portcullis): string[] {
  const nameless = program.pids().flatMap((pid) =>
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const file = linkOf(`/proc/${pid}/fd/${fd}`);
      return file.startsWith(data_folder) && file.endsWith("(deleted)") ? [file] : [];
    }),
  );
  const named = readdirSync(data_folder, { recursive: true, withFileTypes: true });
  return [...named.filter((one) => one.isFile()).map(({ name }) => name), ...nameless];
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed since it was listed
  }
}

const MANY = 5000;
const MAX_MIB = 300;
/** Each holds two connections at the gateway, beside what it has open anyway. */
const FILES_NEEDED = MANY * 2 + 200;

async function manyInFlight({ program, target }: Portcullis, upstream: number): Promise<Check[]> {
  const what = `${MANY.toLocaleString("en")} requests in flight, the upstream takes 2 s`;
  const open = Number(/open files\s+\d+\s+(\d+)/.exec(await limitsOf(program))?.[1] ?? Infinity);
  if (open < FILES_NEEDED) {
    const measured = `needs \`ulimit -n ${FILES_NEEDED}\`; here ${open} is the most`;
    return [{ what, measured, target: "none fails", pass: false }];
  }
  const to = target("paced", "/v1/images/generations");
  const body = Buffer.from(JSON.stringify({ model: "gpt-image-1", prompt: "A gate" }));
  const head = headOf(to, "application/json", body.length);
  const connections: Awaited<ReturnType<typeof openConnection>>[] = [];
  while (connections.length < MANY) {
    const batch = Array.from({ length: 250 }, () => openConnection(to.port));
    connections.push(...(await Promise.all(batch)));
  }
  program.resetPeak();
  const results = await Promise.allSettled(connections.map(({ ask }) => ask(head, [body])));
  for (const { close } of connections) close();
  const good = results.filter((one) => one.status === "fulfilled" && one.value.status === 200);
  const max = await (await fetch(`http://127.0.0.1:${upstream}/max-in-flight`)).json();
  const peak = program.peakMib();
  return [
    {
      what: `${what} (${max} of them there at once)`,
      measured: `${MANY - good.length} failed`,
      target: "none fails",
      pass: good.length === MANY,
    },
    {
      what: IN_FLIGHT_MEMORY,
      measured: `${Math.round(peak)} MiB`,
      target: `under ${MAX_MIB} MiB`,
      pass: peak < MAX_MIB,
    },
  ];
}

const limitsOf = ({ pids }: Portcullis["program"]) => Bun.file(`/proc/${pids()[0]}/limits`).text();
