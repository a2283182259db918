/** Every page of the console, for checks and screenshots of all of them. */
import { makeGuardWithRules } from "../kit/guard.ts";
import type { Kit } from "../kit/kit.ts";
import { startStore } from "../kit/store.ts";
import { until } from "../kit/until.ts";
import { startLimited } from "../limiter/limited.ts";

/** Creates data, and returns the paths of pages with data, without data, and with an error. */
export async function makePages(kit: Kit): Promise<string[]> {
  const list = async (path: string) =>
    ((await (await kit.get(path)).json()) as { items: { id: string }[] }).items;
  const id = (await list("/v1/gateways"))[0]?.id ?? "";
  const path = `/gateways/${id}`;
  const registry = (await list(`/v1${path}/registries`))[0]?.id;
  const consumer = (await list(`/v1${path}/consumers`))[0]?.id;
  await fetch(`${kit.url}/demo/v1/chat/completions`, {
    method: "POST",
    headers: { "x-ag-api-key": kit.first?.demo?.key ?? "", "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }] }),
  });
  await until(async () => (await list(`/v1${path}/requests`)).length > 0);
  return [
    "",
    "/gateways",
    "/gateways?q=nothing-like-this",
    "/gateways/new",
    path,
    ...(await limitPaths(kit)),
    `${path}/registries`,
    `${path}/registries/new`,
    `${path}/registries/${registry}`,
    `${path}/registries/00000000-0000-4000-8000-000000000000`,
    `${path}/consumers`,
    `${path}/consumers/new`,
    `${path}/consumers/${consumer}`,
    `${path}/consumers/${consumer}?tab=keys`,
    `${path}/consumers/${consumer}?tab=models`,
    `${path}/consumers/${consumer}?tab=explain`,
    `${path}/requests`,
    `${path}/playground`,
    `${path}/playground?tab=files`,
    `${path}/playground?tab=evaluations`,
    ...(await decisionPaths(kit)),
    ...(await guardPaths(kit, list)),
    "/models",
    "/tokens",
    "/audit",
    "/nowhere",
  ];
}

/** Rate limits of a gateway, with a blocked subject. */
async function limitPaths(kit: Kit): Promise<string[]> {
  await using limited = await startLimited(kit, {
    limits: { per_user: { limit: 1, window: "1h" } },
    actions: { type: "block" },
  });
  await limited.statuses(2, { "user-id": "bad" });
  return ["", "?tab=limits", "?tab=usage", "?tab=blocks", "?tab=usage&q=nothing-like-this"].map(
    (tab) => `${limited.path.replace("/v1", "")}${tab}`,
  );
}

/** Activity, approvals and the Store. */
async function decisionPaths(kit: Kit): Promise<string[]> {
  const asking = await makeGuardWithRules(kit, "data_loss_prevention", { action: "ask" });
  await asking.evaluate({ payload: { input: "4111 1111 1111 1111" } });
  const guard = await makeGuardWithRules(kit, "data_loss_prevention");
  await guard.evaluate({ payload: { input: "4111 1111 1111 1111" }, consumer_id: "ana" });
  const store = await startStore(kit, "request");
  await store.install({ code: "pub", groups: ["oncall"], reason: "For the night shift" });
  await store.rule("group:oncall", "install");
  await kit.make(`${store.path}/store/principal-tokens`, { name: "Laptop", principal_sub: "bo" });
  const { id } = await store.instance("key", "Shared");
  const remotes = [{ type: "streamable-http", url: "https://mcp.example.com/mcp" }];
  const servers = [{ name: "com.example/imported", version: "1", remotes }];
  await kit.post(`${store.path}/store/catalog/import`, { servers });
  return [
    ...[
      "",
      "?tab=installs",
      "?tab=access",
      "?tab=catalog",
      "?tab=import",
      "?tab=instances",
      "?tab=issuers",
      "?tab=tokens",
      "/instances/new?code=site",
      `/instances/${id}`,
    ].map((path) => `/gateways/${store.gateway.id}/store${path}`),
    "/activity?consumer_id=ana&status=block",
    "/activity?q=nothing-like-this",
    "/approvals",
    "/approvals?q=nothing-like-this",
  ];
}

/** Collectors, detectors and policies. */
async function guardPaths(kit: Kit, list: (path: string) => Promise<{ id: string }[]>) {
  const first = async (path: string) => `${path}/${(await list(`/v1${path}`))[0]?.id}`;
  const [collector, policy] = await Promise.all(["/collectors", "/policies"].map(first));
  const detector = await kit.make("/v1/detectors", TOOL_DETECTOR);
  const nested = await kit.make("/v1/policies", NESTED_POLICY);
  return [
    "/collectors",
    "/collectors/new",
    collector,
    `${collector}?tab=auth`,
    `${collector}?tab=overrides`,
    `${collector}?tab=observed`,
    `${collector}?tab=calibration`,
    `${collector}?tab=clients`,
    "/detectors",
    "/detectors/new",
    `/detectors/${detector.id}`,
    "/policies",
    "/policies/new",
    policy,
    `${policy}?tab=gates`,
    `/policies/${nested.id}?tab=gates`,
    `${policy}?tab=input`,
    `${policy}?tab=output`,
    `${policy}?tab=test`,
    `${policy}?tab=replay`,
    `${policy}?tab=uses`,
    `${policy}?tab=exceptions`,
    `${policy}?tab=history`,
    "/policies/00000000-0000-4000-8000-000000000000",
  ] as string[];
}

/** A schema with nested rows, and a part that only JSON shows. */
const TOOL_DETECTOR = {
  name: "Arguments of tools",
  kind: "tool_selection",
  settings: {
    known_tools: [
      {
        name: "search",
        parameters: {
          type: "object",
          required: ["query"],
          additionalProperties: false,
          properties: {
            query: { type: "string", maxLength: 200 },
            limit: { type: "integer", minimum: 1, maximum: 10 },
            filter: {
              type: "object",
              properties: {
                unit: { type: "string", enum: ["C", "F"] },
                tags: { type: "array", items: { type: "string" } },
              },
            },
            id: { oneOf: [{ type: "string" }, { type: "integer" }] },
          },
        },
      },
    ],
  },
};

const toolIs = (value: string) => ({ field: "tool.name", op: "eq", value });
const LARGE = { field: "tool.arguments.amount", op: "gt", value: 100 };
const OUTSIDE = { field: "consumer.tag", op: "neq", value: "finance" };

/** Four levels of groups. */
const NESTED_POLICY = {
  name: "Payments",
  gates: [
    {
      name: "Large payments",
      action: "ask",
      when: {
        any: [
          toolIs("wire"),
          { all: [toolIs("pay"), { any: [LARGE, { all: [OUTSIDE, LARGE] }] }] },
        ],
      },
    },
  ],
};
