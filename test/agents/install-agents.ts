/** Installs the coding agents once. */
import { installFromNpm } from "../kit/install-from-npm.ts";
import { AGENTS } from "./agents.ts";

let installing: Promise<string> | undefined;

/** Returns the folder of their `node_modules`. */
export function installAgents(): Promise<string> {
  const packages = Object.values(AGENTS).map((agent) => [agent.package, agent.version]);
  installing ??= installFromNpm("coding-agents", Object.fromEntries(packages));
  return installing;
}
