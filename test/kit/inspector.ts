/** The MCP Inspector's command line, as people type it to look at a server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installFromNpm } from "./install-from-npm.ts";

export const installInspector = () =>
  installFromNpm("portcullis-inspector", { "@modelcontextprotocol/inspector": "2.12.0" });

export interface Inspected {
  code: number;
  result?: { tools?: { name: string }[]; content?: unknown[] };
  error?: { code: string; message: string };
}

/** It asks for a newer Node than we do, so Bun runs it. It keeps accounts at home: here, in a folder of its own. */
export async function inspect(url: string, ...args: string[]): Promise<Inspected> {
  const folder = await installInspector();
  const program = join(folder, "node_modules/@modelcontextprotocol/inspector/clients/cli/build");
  const home = mkdtempSync(join(tmpdir(), "portcullis-inspector-"));
  const child = Bun.spawn([process.execPath, program, url, "--format", "json", ...args], {
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const code = await child.exited;
  rmSync(home, { recursive: true, force: true });
  return { code, ...JSON.parse(out || err) };
}
