import { expect, test } from "bun:test";
import { hookSnippet } from "./hook-snippets.ts";

test.each(["codex", "cursor"] as const)("the address is one word in the command of %s", (agent) => {
  const url = "https://$(echo ran).example/a;b&c'd";
  const { content } = hookSnippet(agent, { url, fail_mode: "open" });
  const [command = ""] = [...content.matchAll(/"command":("(?:\\.|[^"])*")/g)]
    .filter(([, text = ""]) => text.includes("curl"))
    .map(([, text = ""]) => JSON.parse(text) as string);

  const { stdout } = Bun.spawnSync(["sh", "-c", command.replace("curl", "printf '%s\\n'")]);

  expect(stdout.toString().split("\n")).toContain(`${url}/v1/hooks/${agent}`);
});
