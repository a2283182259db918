/** Table of the peers: libraries on npm and PyPI that detect the same things and run without a network. */
import type { TaskName } from "../tasks.ts";

export interface Peer {
  name: string;
  from: "npm" | "PyPI";
  version: string;
  tasks: readonly TaskName[];
  /** Packages that it needs besides itself. */
  needs?: Readonly<Record<string, string>>;
  /** Limits of the measurement. */
  note?: string;
}

const INJECTION: readonly TaskName[] = ["prompt_injection", "indirect_prompt_injection"];

export const PEERS: readonly Peer[] = [
  { name: "llm-firewall", from: "npm", version: "0.2.0", tasks: INJECTION },
  {
    name: "@llm-guardrails/core",
    from: "npm",
    version: "0.4.1",
    tasks: [...INJECTION, "toxicity"],
  },
  { name: "@andersmyrmel/vard", from: "npm", version: "1.2.0", tasks: INJECTION },
  {
    name: "llm-guard",
    from: "npm",
    version: "0.1.9",
    tasks: [...INJECTION, "toxicity"],
    note: "not related to LLM Guard by Protect AI",
  },
  { name: "obscenity", from: "npm", version: "0.4.6", tasks: ["toxicity"] },
  { name: "@openredaction/openredaction", from: "npm", version: "1.0.4", tasks: ["personal_data"] },
  {
    name: "@openai/guardrails",
    from: "npm",
    version: "0.2.1",
    tasks: ["personal_data", "secrets"],
    note: "its other checks call a language model over the network",
  },
  { name: "redact-pii", from: "npm", version: "3.4.0", tasks: ["personal_data"] },
  { name: "@redactpii/node", from: "npm", version: "1.0.17", tasks: ["personal_data"] },
  {
    name: "@secretlint/core",
    from: "npm",
    version: "13.0.7",
    needs: { "@secretlint/secretlint-rule-preset-recommend": "13.0.7" },
    tasks: ["secrets"],
    note: "recommended preset",
  },
  {
    name: "presidio-analyzer",
    from: "PyPI",
    version: "2.2.366",
    tasks: ["personal_data"],
    note: "score threshold 0.4; without names and places, since PyPI has no spaCy model",
  },
  {
    name: "detect-secrets",
    from: "PyPI",
    version: "1.5.0",
    tasks: ["secrets"],
    note: "default plugins and filters",
  },
  { name: "alt-profanity-check", from: "PyPI", version: "1.9.1", tasks: ["toxicity"] },
];

/** Peers that cannot run here, and why. */
export const UNAVAILABLE: readonly { name: string; reason: string }[] = [
  { name: "LLM Guard (PyPI)", reason: "downloads its models from a hub" },
  { name: "LlamaFirewall (PyPI)", reason: "downloads its models from a hub, after a license form" },
  { name: "NeMo Guardrails (PyPI)", reason: "needs a language model or a model from a hub" },
  {
    name: "@presidio-dev/hai-guardrails (npm) 1.12.0",
    reason: "fails at start: the published build refers to a path of its build machine",
  },
];
