/** Runs a coding agent without a terminal, in a home folder of its own, until it ends. */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Agent, AgentRun } from "./agents.ts";

const MAX_MS = 90_000;

/** `installed` is the folder of the agent's `node_modules`. `files` are added to the home folder. */
export async function runAgent(
  agent: Agent,
  installed: string,
  run: AgentRun,
  files: Record<string, unknown>,
): Promise<string> {
  const { home } = run;
  for (const [path, content] of Object.entries({ ...agent.files(run), ...files })) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await Bun.write(join(home, path), text);
  }
  const program = join(installed, "node_modules/.bin", agent.program);
  const child = Bun.spawn([program, ...agent.args(run)], {
    cwd: join(home, "work"),
    env: { PATH: process.env.PATH ?? "", HOME: home, USER: "ana", ...agent.env(run) },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: MAX_MS,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return `${stdout}${stderr}\nexit ${await child.exited}`;
}
