/** Runs a coding agent with the settings of the guide, in a home folder of its own, until it ends. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { $ } from "bun";
import { installFromNpm } from "../kit/install-from-npm.ts";
import { installFromPypi } from "../kit/install-from-pypi.ts";
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
  const agent: Agent = AGENTS[name];
  const { files, setup } = readGuide(agent.section ?? name, run.url);
  for (const [path, text] of Object.entries({ ...files, ...run.files })) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await Bun.write(join(home, path), text);
  }
  const programs = await installAgent(name);
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

const installed = new Map<AgentName, Promise<string>>();

/** Returns the folder of its programs. */
export function installAgent(name: AgentName): Promise<string> {
  const programs = installed.get(name) ?? install(name);
  installed.set(name, programs);
  return programs;
}

async function install(name: AgentName): Promise<string> {
  const { package: id, version, setup, requirements }: Agent = AGENTS[name];
  const folder = name.toLowerCase().replaceAll(" ", "-");
  if (requirements) {
    return join(await installFromPypi(folder, `${id}==${version}`, ...requirements), "bin");
  }
  const modules = join(await installFromNpm(folder, { [id]: version }), "node_modules");
  if (setup) await $`node ${setup}`.cwd(join(modules, id)).quiet();
  return join(modules, ".bin");
}
