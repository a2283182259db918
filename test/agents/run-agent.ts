/** Runs a coding agent with the settings of the guide, in a home folder of its own, until it ends. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { $ } from "bun";
import { installFromNpm } from "../kit/install-from-npm.ts";
import { AGENTS, type Agent, type AgentName } from "./agents.ts";
import { readGuide } from "./read-guide.ts";

const MAX_MS = 110_000;

export interface AgentRun {
  /** Address of the consumer: the gateway with the consumer's slug. */
  url: string;
  key: string;
  prompt: string;
  /** Further files and variables. Paths are relative to the home folder; the agent works in `work`. */
  files: Record<string, string>;
  env?: Record<string, string>;
}

/** A home folder, which is deleted at the end. */
export async function createHome() {
  const path = await mkdtemp(join(tmpdir(), "portcullis-agent-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Returns everything that the agent printed, with its exit code. */
export async function runAgent(name: AgentName, home: string, run: AgentRun): Promise<string> {
  const agent = AGENTS[name];
  const { files, setup } = readGuide(name, run.url);
  for (const [path, text] of Object.entries({ ...files, ...run.files })) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await Bun.write(join(home, path), text);
  }
  const programs = join(await installAgents(), "node_modules/.bin");
  const child = Bun.spawn(
    ["bash", "-ec", `${setup}\nexec "$@"`, "bash", agent.program, ...agent.args(run.prompt)],
    {
      cwd: join(home, "work"),
      env: {
        PATH: [programs, process.env.PATH].join(delimiter),
        HOME: home,
        USER: "ana",
        PORTCULLIS_API_KEY: run.key,
        ...agent.env,
        ...run.env,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: MAX_MS,
      killSignal: "SIGKILL",
    },
  );
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return `${stdout}${stderr}\nexit ${await child.exited}`;
}

let installing: Promise<string> | undefined;

/** Returns the folder of their `node_modules`. */
function installAgents(): Promise<string> {
  installing ??= install();
  return installing;
}

async function install(): Promise<string> {
  const agents: readonly Agent[] = Object.values(AGENTS);
  const packages = agents.map((agent) => [agent.package, agent.version]);
  const folder = await installFromNpm("coding-agents", Object.fromEntries(packages));
  for (const { package: name, setup } of agents) {
    if (setup) await $`node ${setup}`.cwd(join(folder, "node_modules", name)).quiet();
  }
  return folder;
}
