/** Settings of coding agents whose hooks this collector evaluates. */
import type { Collector } from "../../contract/guard/collectors.ts";
import { HOOK_AGENTS, hookAgents } from "../../contract/guard/hook-agents.ts";
import { hookSnippet } from "../../contract/guard/hook-snippets.ts";
import { ROOT_URL } from "../api.ts";
import { CodeBlock } from "../ui/code-block.tsx";

export function CodingAgents({ collector: { fail_mode } }: { collector: Collector }) {
  const url = ROOT_URL.href.replace(/\/$/, "");
  return (
    <>
      <p className="prose">
        Coding agents send prompts, tool calls and tool results to this collector before they act on
        them. Set a key of this collector in the environment of the agent, and add the hooks to its
        settings.
      </p>
      <CodeBlock label="Environment" text="export PORTCULLIS_COLLECTOR_KEY=pc_your-key" />
      {hookAgents.map((agent) => {
        const { path, content } = hookSnippet(agent, { url, fail_mode });
        return <CodeBlock key={agent} label={`${HOOK_AGENTS[agent]}, ${path}`} text={content} />;
      })}
    </>
  );
}
