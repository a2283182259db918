/** Reads the settings of a coding agent from the guide, so that the guide is what runs. */
import { readFileSync } from "node:fs";

const GUIDE = "docs/guides/coding-agents.md";
const ADDRESS = "http://127.0.0.1:8080/coding";

export interface AgentSettings {
  /** Content by the path below the home folder. */
  files: Record<string, string>;
  /** Shell commands that set variables and configure the agent. */
  setup: string;
}

/** `url` replaces the address of the consumer in the guide. */
export function readGuide(heading: string, url: string): AgentSettings {
  const [, rest = ""] = readFileSync(GUIDE, "utf8").split(`\n## ${heading}\n`);
  const [section = ""] = rest.split("\n## ");
  const blocks = [
    ...section.matchAll(/(?:`~\/([^`]+)`:\n\n)?```(bash|json|toml|yaml)\n(.*?)\n```/gs),
  ].map(([, path = "", language = "", text = ""]) => ({
    path,
    language,
    text: text.replaceAll(ADDRESS, url),
  }));
  if (blocks.length === 0) throw new Error(`${GUIDE} has no settings for ${heading}.`);
  const files = blocks.filter(({ path }) => path !== "").map(({ path, text }) => [path, text]);
  const setup = blocks.filter(({ language }) => language === "bash").map(({ text }) => text);
  return { files: Object.fromEntries(files), setup: setup.join("\n") };
}
