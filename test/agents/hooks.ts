/** Hooks in the real agents: denials, dialogs and masks take effect. Part of `npm run test:agents`. */
import { expect, test } from "bun:test";
import type { EvaluationEvent } from "../../src/contract/guard/activity.ts";
import { hookSnippet } from "../../src/contract/guard/hook-snippets.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeDetector, makeGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { AGENTS } from "./agents.ts";
import { createHome, runAgent } from "./run-agent.ts";
import { startScriptedUpstream } from "./scripted-upstream.ts";

const kit = sharedKit();
const CARD = "4111 1111 1111 1111";
const DONE = "The task is complete.";

const CASES = [
  { name: "Claude Code", hooks: "claude-code" },
  { name: "Codex CLI", hooks: "codex" },
] as const;

/** Runs `command` as a tool call, with the file `card.txt`; the tool result must contain `result`. */
async function runWithHooks(
  { name, hooks }: (typeof CASES)[number],
  { command, result, prompt = "Go." }: { command: string; result: string; prompt?: string },
) {
  const admin = await kit();
  const agent = AGENTS[name];
  await using home = await createHome();
  const detector = await makeDetector(admin, "data_loss_prevention", {
    predefined_entities: [{ entity: "credit_card" }],
  });
  const words = await makeDetector(admin, "prompt_moderation", { keywords: ["falcon"] });
  const when = { field: "tool.command", op: "contains", value: "deploy" };
  const guard = await makeGuard(admin, {
    gates: [{ name: "Deployments", action: "ask", when }],
    input_rules: [
      { detector_id: detector.id, action: "transform" },
      { detector_id: words.id, action: "block" },
    ],
    output_rules: [{ detector_id: detector.id, action: "transform" }],
  });
  const calls = [{ ...agent.shell(command), result }];
  await using upstream = startScriptedUpstream(agent.dialect, { calls, done: DONE });
  const url = `${upstream.url}/v1`;
  const provider = agent.dialect === "messages" ? "anthropic" : "openai";
  const consumer = await makeConsumer(admin, [{ provider, url }]);
  const { path, content } = hookSnippet(hooks, { url: admin.url, fail_mode: "open" });
  const output = await runAgent(name, home.path, {
    url: consumer.url,
    key: consumer.key,
    prompt,
    files: { [path.replace("~/", "")]: content, "work/card.txt": CARD },
    env: { PORTCULLIS_COLLECTOR_KEY: guard.key },
  });
  const activity = await admin.get(`/v1/activity?collector_id=${guard.collector.id}`);
  const { items } = await activity.json();
  const events: string[] = items.map(
    ({ attributes, status, consumer_id }: EvaluationEvent) =>
      `${attributes["hook.event"]} ${status} ${consumer_id}`,
  );
  return { output, events };
}

test.each(CASES)("$name: a command that is masked runs masked", async (agent) => {
  const { output, events } = await runWithHooks(agent, {
    command: `echo "<${CARD}>"`,
    result: "<[MASKED_CC]>",
  });
  expect(output).toContain(DONE);
  expect(events).toContain("PreToolUse transform ana");
});

test.each(CASES)("$name: a masked result is what the model reads", async (agent) => {
  const { output, events } = await runWithHooks(agent, {
    command: "cat card.txt",
    result: "[MASKED_CC]",
  });
  expect(output).toContain(DONE);
  expect(events).toContain("PostToolUse transform ana");
});

test.each(CASES)(
  "$name: a blocked command does not run, and the model reads why",
  async (agent) => {
    const { output, events } = await runWithHooks(agent, {
      command: "touch falcon",
      result: "Blocked by policy: ",
    });
    expect(output).toContain(DONE);
    expect(events).toContain("PreToolUse block ana");
  },
);

test.each(CASES)(
  "$name: without a terminal, a call that needs confirmation is denied",
  async (agent) => {
    const { output, events } = await runWithHooks(agent, {
      command: "echo deploy",
      result: agent.hooks === "codex" ? "Requires approval" : "Confirmation required by policy",
    });
    expect(output).toContain(DONE);
    expect(events).toContain("PreToolUse ask ana");
  },
);

test.each(CASES)("$name: a blocked prompt does not reach the model", async (agent) => {
  const { output, events } = await runWithHooks(agent, {
    command: "echo never",
    result: "never",
    prompt: "Explain the falcon.",
  });
  expect(output).not.toContain(DONE);
  // Without a terminal, Codex prints no reason.
  expect(output).toMatch(/blocked/i);
  expect(events).toEqual(["UserPromptSubmit block ana"]);
});
