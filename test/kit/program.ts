/** The program as a user starts it: a process of its own, from `bin/portcullis`. */
import { constants, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { adminClient } from "./admin-client.ts";
import { OWNER_TOKEN } from "./kit.ts";
import { until } from "./until.ts";

export interface ProgramOptions {
  args?: string[];
  settings?: Record<string, string>;
  /** The reader of its log has exited or is stopped. */
  logReader?: "gone" | "still";
  /** Runs the program, such as `WITHOUT_ROOT_RIGHTS`. */
  by?: string[];
  /** Starts another version of the program. */
  launcher?: string;
}

const LAUNCHER = resolve("bin/portcullis");

/** Runs a program so that file permissions apply, also when the tests run as root. */
export const WITHOUT_ROOT_RIGHTS =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];

/** Settings of a program that touches nothing of this machine: a folder of its own, a free port. */
function ownSettings(dir: string, settings: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    PORTCULLIS_LISTEN: "127.0.0.1:0",
    PORTCULLIS_DATA_DIR: dir,
    PORTCULLIS_ADMIN_TOKEN: OWNER_TOKEN,
    PORTCULLIS_DEMO: "false",
    ...settings,
  };
}

export type Program = Awaited<ReturnType<typeof startProgram>>;

/** Resolves when it says that it is ready. */
export async function startProgram({
  args = [],
  settings = {},
  logReader,
  by = [],
  launcher = LAUNCHER,
}: ProgramOptions = {}) {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-program-"));
  const child = Bun.spawn([...by, launcher, "start", ...args], {
    env: ownSettings(dir, settings),
    stdout: "pipe",
    stderr: logReader === "still" ? unreadPipe(dir) : "pipe",
  });
  const log = typeof child.stderr === "number" ? null : child.stderr;
  if (logReader === "gone") await log?.cancel();
  let logged = "";
  const errors = logReader || !log ? Promise.resolve("") : collect(log);
  async function collect(from: ReadableStream<Uint8Array>): Promise<string> {
    const decoder = new TextDecoder();
    for await (const bytes of from) logged += decoder.decode(bytes, { stream: true });
    return logged;
  }
  let printed = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const ready = /Portcullis is ready(?: at (\S+)|:\n)[\s\S]*\n$|^\{.*\}\n/;
  while (!ready.test(printed)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`It did not start: ${await errors}`);
    printed += value;
  }
  void drain(reader, (text) => {
    printed += text;
  });
  const url = / at (http\S+)/.exec(printed)?.[1] ?? "";
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal);
    await child.exited;
    rmSync(dir, { recursive: true, force: true });
  };

  const client = adminClient(url, OWNER_TOKEN);
  return {
    ...client,
    admin: client.call,
    child,
    /** Returns the process ids of its workers. */
    workers: () => childrenOf(child.pid),
    /** Standard output so far. */
    printed: () => printed,
    /** Standard error so far. */
    logged: () => logged,
    /** Standard error, once it has ended. */
    errors,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end("SIGTERM");
    },
  };
}

function childrenOf(pid: number): number[] {
  const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return ids.filter(Boolean).map(Number);
}

/** Kills one worker of a program; resolves when another process has replaced it. */
export async function killWorker(
  program: Program,
  index = 0,
  signal: "SIGKILL" | "SIGSTOP" = "SIGKILL",
): Promise<void> {
  const before = program.workers();
  process.kill(before[index] ?? 0, signal);
  const replaced = () => program.logged().split('"worker_replaced"').length - 1;
  const count = replaced();
  await until(() => replaced() > count);
}

/** A pipe that is open for somebody who never reads it. */
function unreadPipe(dir: string): number {
  const path = join(dir, "log");
  Bun.spawnSync(["mkfifo", path]);
  return openSync(path, constants.O_RDWR);
}

/** A command that ends by itself. `by` runs it, such as `setpriv`. */
export async function runProgram(
  args: string[],
  settings: Record<string, string> = {},
  by: string[] = [],
) {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-run-"));
  const child = Bun.spawn([...by, LAUNCHER, ...args], {
    env: ownSettings(dir, settings),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const code = await child.exited;
  rmSync(dir, { recursive: true, force: true });
  return { code, out, err };
}

async function drain(
  reader: ReadableStreamDefaultReader<string>,
  take: (text: string) => void,
): Promise<void> {
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    take(value);
  }
}
