/** The texts of the Store's own tools: a guarded agent lists and calls them, and the learned detectors read them. */
import { expect, test } from "bun:test";
import { makeDetector, makeGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";

const kitOf = sharedKit();

/** Clearly below the lowest threshold of the starter policy. */
const settings = { threshold: 0.25 };

test("the Store's tools and their results score clearly below the starter policy", async () => {
  const kit = await kitOf();
  await using server = startMcpServer({ tools: [{ name: "echo" }] });
  const store = await makeMcpStore(kit);
  const key = { auth: { type: "key", scope: "principal" } };
  const github = await store.serve("GitHub", server.url, {
    auth: { type: "principal_key" },
    entry: key,
  });
  const notes = await store.serve("Notes", server.url);
  await using client = await store.client("alice");
  const results = [
    await client.call("store_install", { code: github.code }),
    await client.call("store_install", { code: notes.code }),
    await client.call("store_install", { code: notes.code }),
    await client.call("connect_github"),
    await client.call("store_status"),
  ];
  const tools = await client.listed();
  const detectors = ["prompt_guard", "indirect_prompt_injection"];
  const rules = detectors.map(async (kind) => {
    const { id } = await makeDetector(kit, kind, settings);
    return { detector_id: id, action: "block", origins: ["tool_definition", "tool_result"] };
  });
  const guard = await makeGuard(kit, { input_rules: await Promise.all(rules) });

  const { findings } = await guard.evaluate({
    payload: {
      messages: results.map(({ text }, at) => ({
        role: "tool",
        tool_call_id: `call_${at}`,
        content: text,
      })),
      tools: tools.map(({ name, description, inputSchema: parameters }) => ({
        type: "function",
        function: { name, description, parameters },
      })),
    },
  });

  expect(tools.map(({ name }) => name)).toContain("connect_github");
  expect(results.map(({ isError }) => isError)).not.toContain(true);
  expect(findings).toEqual([]);
});
