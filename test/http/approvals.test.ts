import { describe, expect, test } from "bun:test";
import type { StoredText } from "../../src/contract/guard/activity.ts";
import type { Verdict } from "../../src/contract/guard/evaluate.ts";
import type { InboxItem } from "../../src/contract/inbox.ts";
import { sweep } from "../../src/server/sweep.ts";
import { expectLinear } from "../kit/expect-linear.ts";
import { makeGuard, type TestGuard, unique } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { startStore } from "../kit/store.ts";

const GATE = { name: "every call", when: null, action: "ask" };
const OLD = new Date(0).toISOString();
const approvalIn = ({ findings }: Verdict): string => String(findings[0]?.evidence.approval_id);

/** A tool call whose arguments are this JSON text. */
const pay = (args: string, more = "") =>
  `{"payload":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":${args}}},"protocol":"mcp","consumer_id":"ana"${more}}`;

const llm = (payload: string, more: string) =>
  `{"payload":${payload},"protocol":"llm","consumer_id":"ana"${more}}`;
/** The same call in the formats of models, two of which send the arguments as text. */
const FORMATS: Record<string, typeof pay> = {
  MCP: pay,
  chat: (args, more = "") =>
    llm(
      `{"messages":[{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"pay","arguments":${JSON.stringify(args)}}}]}]}`,
      more,
    ),
  messages: (args, more = "") =>
    llm(
      `{"messages":[{"role":"assistant","content":[{"type":"tool_use","name":"pay","input":${args}}]}]}`,
      more,
    ),
  responses: (args, more = "") =>
    llm(
      `{"input":[{"type":"function_call","name":"pay","arguments":${JSON.stringify(args)}}]}`,
      more,
    ),
};

describe.each(databaseKinds)("%s", (database) => {
  const kit = sharedKit({ database });

  const verdictOf = async (guard: TestGuard, body: string): Promise<Verdict> => {
    const reply = await guard.send(body);
    expect(reply.status).toBe(200);
    return await reply.json();
  };
  const decide = async (approval_id: string, decision = "approved", token?: string) =>
    await (await kit()).post(
      `/v1/approvals/${approval_id}/decide`,
      { decision },
      token ? { authorization: `Bearer ${token}` } : {},
    );
  const contentOf = async (approval_id: string): Promise<StoredText[] | null> =>
    (await (await (await kit()).get(`/v1/approvals/${approval_id}`)).json()).content;
  const argumentsOf = async (approval_id: string) =>
    Object.fromEntries(
      ((await contentOf(approval_id)) ?? []).map(({ pointer, text }) => [
        pointer.replace("/params/arguments/", ""),
        text,
      ]),
    );

  test.each(Object.entries(FORMATS))(
    "an approval of a call in %s covers the exact JSON text, not values that parse as equal",
    async (_, call) => {
      const guard = await makeGuard(await kit(), { gates: [GATE] });
      const approved =
        '{"account":12345678901234567,"rate":0.1,"sign":0,"big":1e400,"to":"\u00e9"}';
      const approval_id = approvalIn(await verdictOf(guard, call(approved)));
      await decide(approval_id);
      const presented = `,"attributes":{"approval_id":"${approval_id}"}`;
      const statusOf = async (args: string) =>
        (await verdictOf(guard, call(args, presented))).status as string;

      expect(await statusOf(approved)).toBe("report");
      const isText = call === FORMATS.chat || call === FORMATS.responses;
      expect(await statusOf(approved.replaceAll(",", ", "))).toBe(isText ? "ask" : "report");
      const others = [
        approved.replace("4567,", "4568,"),
        approved.replace("0.1", "0.10000000000000001"),
        approved.replace('"sign":0', '"sign":-0'),
        approved.replace("1e400", "1e500"),
        approved.replace('"sign":0', '"sign":0.0'),
        approved.replace("\u00e9", "e\u0301"),
        approved.replace('"rate":0.1,"sign":0', '"sign":0,"rate":0.1'),
      ];
      expect(await Promise.all(others.map(statusOf))).toEqual(others.map(() => "ask"));
    },
  );

  test("an approval covers tool arguments that are sent as attributes, digit by digit", async () => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const sent = (account: string, more = "") =>
      `{"payload":{"input":"go"},"attributes":{"tool":{"name":"pay","arguments":{"account":${account}}}${more}}}`;
    const approval_id = approvalIn(await verdictOf(guard, sent("12345678901234567")));
    await decide(approval_id);
    const presented = `,"approval_id":"${approval_id}"`;

    expect((await verdictOf(guard, sent("12345678901234567", presented))).status).toBe("report");
    expect((await verdictOf(guard, sent("12345678901234568", presented))).status).toBe("ask");
  });

  test.each([
    ["model.provider", { model: { provider: "external" } }],
    ["consumer.tag", { consumer: { tag: "guest" } }],
    ["source.application", { "source.application": "batch" }],
  ])("an approval does not cover another %s, which conditions can read", async (_, other) => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const given = { model: { provider: "own" }, consumer: { tag: "staff" } };
    const sent = (attributes: object) => pay("{}", `,"attributes":${JSON.stringify(attributes)}`);
    const approval_id = approvalIn(await verdictOf(guard, sent(given)));
    await decide(approval_id);

    const same = await verdictOf(
      guard,
      sent({ ...given, transcript: "longer by now", approval_id }),
    );
    const another = await verdictOf(guard, sent({ ...given, ...other, approval_id }));

    expect([same.status, another.status]).toEqual(["report", "ask"]);
  });

  test.each(["none", "masked", "full"])(
    "with content storage %s an approver sees every argument, masked and as written",
    async (content_storage) => {
      const guard = await makeGuard(await kit(), { gates: [GATE] }, { content_storage });
      const given = `{"to":"ana@example.com","amount":5,"order":9007199254740993,"urgent":true,"rate":0.10000000000000001,"sign":-0,"limit":null,"note":""}`;
      const approval_id = approvalIn(await verdictOf(guard, pay(given)));

      expect(await argumentsOf(approval_id)).toMatchObject({
        to: expect.stringMatching(/^\[MASKED_EMAIL\]#[0-9a-f]{8}$/),
        amount: "5",
        order: "9007199254740993",
        urgent: "true",
        rate: "0.10000000000000001",
        sign: "-0",
        limit: "null",
        note: "",
      });
    },
  );

  test("an approver distinguishes masked values by a code, which is the same for the same value", async () => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const other = await makeGuard(await kit(), { gates: [GATE] });
    const shown = async (args: string, by = guard) => {
      const content = await contentOf(approvalIn(await verdictOf(by, pay(args))));
      return content?.map(({ pointer, text }) => `${pointer} ${text}`).join() ?? "";
    };
    const pairs = [
      ['{"card":4111111111111111}', '{"card":5500005555555559}'],
      ['{"card":4111111111111111.2}', '{"card":4111111111111111.1}'],
      ['{"to":"ana@example.com"}', '{"to":"eve@example.com"}'],
      ['{"text":"Pay NL91ABNA0417164300"}', '{"text":"Pay DE89370400440532013000"}'],
      ['{"ana@example.com":5}', '{"eve@example.com":5}'],
    ];

    for (const [one = "", two = ""] of pairs) {
      const [first, second] = [await shown(one), await shown(two)];
      expect(first).toMatch(/\[MASKED_\w+\]#[0-9a-f]{8}/);
      expect(second.replaceAll(/#[0-9a-f]{8}/g, "")).toBe(first.replaceAll(/#[0-9a-f]{8}/g, ""));
      expect(second).not.toBe(first);
      expect(await shown(one.replace("}", ',"more":1}'))).toContain(first.split(",")[1] ?? "");
      expect(await shown(one, other)).not.toBe(first);
    }
  });

  test("an approver sees empty arguments, which may select everything", async () => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });

    const verdict = await verdictOf(guard, pay('{"where":{},"ids":[],"limit":null}'));

    expect(await argumentsOf(approvalIn(verdict))).toMatchObject({
      where: "{}",
      ids: "[]",
      limit: "null",
    });
  });

  test("an approver sees numbers and other values of a tool's result", async () => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const response = { limit: 777, account: 1234567, ok: true, who: "bob" };
    const parts = [{ functionResponse: { name: "lookup", response } }];
    const payload = { contents: [{ role: "user", parts }] };
    const body = JSON.stringify({ protocol: "llm", payload });

    const content = (await contentOf(approvalIn(await verdictOf(guard, body)))) ?? [];

    const at = "/contents/0/parts/0/functionResponse/response";
    expect(Object.fromEntries(content.map(({ pointer, text }) => [pointer, text]))).toMatchObject({
      [`${at}/limit`]: "777",
      [`${at}/account`]: expect.any(String),
      [`${at}/ok`]: "true",
      [`${at}/who`]: "bob",
    });
  });

  test.each<[string, (result: object) => object]>([
    ["chat", (content) => ({ messages: [{ role: "tool", tool_call_id: "c", content }] })],
    [
      "messages",
      (content) => ({ messages: [{ role: "user", content: [{ type: "tool_result", content }] }] }),
    ],
    [
      "responses",
      (output) => ({ input: [{ type: "function_call_output", call_id: "c", output }] }),
    ],
  ])("an approver sees ids, words and empty values of a tool's result in %s", async (_, wrap) => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const result = { role: "owner", type: "user", user_id: 5, id: "v-1", to: null, filter: {} };
    const body = JSON.stringify({
      protocol: "llm",
      payload: wrap({ ...result, ids: [], note: "" }),
    });

    const content = (await contentOf(approvalIn(await verdictOf(guard, body)))) ?? [];

    const shown = content.map(({ pointer, text }) => [pointer.split("/").at(-1), text]);
    expect(Object.fromEntries(shown)).toMatchObject({
      ...{ role: "owner", type: "user", user_id: "5", id: "v-1" },
      ...{ to: "null", filter: "{}", ids: "[]", note: "" },
    });
  });

  test("an approver sees the method and the ids of a request, and that it has files and images", async () => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const shown = async (protocol: string, payload: object) => {
      const body = JSON.stringify({ protocol, payload, consumer_id: "ana" });
      const content = await contentOf(approvalIn(await verdictOf(guard, body)));
      return Object.fromEntries((content ?? []).map(({ pointer, text }) => [pointer, text]));
    };
    const image = `data:image/png;base64,${Buffer.alloc(600, "\x89PNG\r\n\x1a\n", "latin1").toString("base64")}`;

    const signature = Buffer.alloc(600, "\x89\x01\xf2\xe8", "latin1").toString("base64");
    const params = { id: "v-1", signature };
    expect(await shown("mcp", { jsonrpc: "2.0", id: 7, method: "vault/delete", params })).toEqual({
      "/method": "vault/delete",
      "/params/id": "v-1",
      "/params/signature": expect.stringMatching(/^binary#\w{8}$/),
    });
    const content = [
      { type: "input_file", file_id: "file-1" },
      { type: "input_image", image_url: image },
    ];
    const sent = {
      model: "large",
      previous_response_id: "resp_1",
      input: [{ role: "user", content }],
      attachments: [{ url: "https://files.example.com/plan.pdf" }],
    };
    expect(await shown("llm", sent)).toEqual({
      "/model": "large",
      "/previous_response_id": "resp_1",
      "/input/0/content/0/file_id": "file-1",
      "/input/0/content/1/image_url": expect.stringMatching(/^binary#\w{8}$/),
      "/attachments/0": "https://files.example.com/plan.pdf",
    });
  });

  test("an approver sees every member of any method and action, also those named as words of a format", async () => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const shown = async (protocol: string, payload: object) => {
      const body = JSON.stringify({ protocol, payload, consumer_id: "ana" });
      const content = (await contentOf(approvalIn(await verdictOf(guard, body)))) ?? [];
      const texts = content.filter(({ text }) => !text.startsWith("schema#"));
      return Object.fromEntries(texts.map(({ pointer, text }) => [pointer, text]));
    };

    const params = { type: "user", role: "owner", call_id: "c-1", filter: {}, ids: [], to: null };
    const more = { members: [{ role: "system" }], note: "" };
    const rpc = { jsonrpc: "2.0", id: 7, method: "users/update", params: { ...params, ...more } };
    expect(await shown("mcp", rpc)).toEqual({
      "/method": "users/update",
      "/params/type": "user",
      "/params/role": "owner",
      "/params/call_id": "c-1",
      "/params/filter": "{}",
      "/params/ids": "[]",
      "/params/to": "null",
      "/params/members/0/role": "system",
      "/params/note": "",
    });
    const operation = { type: "delete_file", path: "notes.md" };
    const input = [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Go." }] },
      { type: "apply_patch_call", call_id: "c-2", operation },
    ];
    const contents = [{ role: "user", parts: [{ text: "Go." }] }];
    const parameters = { type: "OBJECT", properties: {} };
    const functionDeclarations = [{ name: "look", parameters }];
    const retrieval = { googleSearchRetrieval: { dynamicRetrievalConfig: {} } };
    const tools = [{ codeExecution: {} }, { googleSearch: {}, functionDeclarations }, retrieval];
    expect(await shown("llm", { contents, tools })).toEqual({
      "/contents/0/parts/0/text": "Go.",
      "/tools/0/codeExecution": "{}",
      "/tools/1/googleSearch": "{}",
      "/tools/2/googleSearchRetrieval/dynamicRetrievalConfig": "{}",
      "/tools/1/functionDeclarations/0": "look",
      "/tools/1/functionDeclarations/0/parameters/type": "OBJECT",
    });
    const settings = { filters: {}, domains: [], format: "text", required: "yes", type: "null" };
    const hosted = { type: "openrouter:web_search", parameters: settings };
    const named = { type: "mcp_toolset", name: "all", input_schema: { allow: [] } };
    const schema = { type: "object", properties: {}, required: [] };
    const own = { type: "function", name: "look", parameters: schema, strict: null };
    const shell = { type: "local_shell_call", call_id: "c-3", action: {}, status: null };
    expect(await shown("llm", { input: [shell], tools: [hosted, named, own] })).toEqual({
      "/input/0/type": "local_shell_call",
      "/input/0/action": "{}",
      "/tools/0/type": "openrouter:web_search",
      "/tools/0/parameters/filters": "{}",
      "/tools/0/parameters/domains": "[]",
      "/tools/0/parameters/format": "text",
      "/tools/0/parameters/required": "yes",
      "/tools/0/parameters/type": "null",
      "/tools/1": "all",
      "/tools/1/type": "mcp_toolset",
      "/tools/1/input_schema/allow": "[]",
      "/tools/2": "look",
      "/tools/2/strict": "null",
    });
    const search = { type: "web_search", filters: { allowed_domains: [] } };
    expect(await shown("llm", { input, tools: [search] })).toEqual({
      "/input/0/content/0/text": "Go.",
      "/input/1/type": "apply_patch_call",
      "/input/1/operation/type": "delete_file",
      "/input/1/operation/path": "notes.md",
      "/tools/0/type": "web_search",
      "/tools/0/filters/allowed_domains": "[]",
    });
  });

  test.each(Object.entries(FORMATS))(
    "an approver of a call in %s sees every number as it was written, unless it is masked",
    async (_, call) => {
      const guard = await makeGuard(await kit(), { gates: [GATE] });
      const long = [
        ...["12345678901234567.0", "-1.2345678901234567e+16", "1e22", "100000.0", "1E5"],
        ...["123456789012345678901234e0", "12345678901234567.4", "123456789012345678901234"],
      ];
      const short = ["1E400", "-0", "1.0", "0.10000000000000001", "1e-400"];
      const args = `{"numbers":[${[...long, ...short, "4111111111111111.0"].join(",")}]}`;
      const content = await contentOf(approvalIn(await verdictOf(guard, call(args))));

      const shown = (name: string) =>
        content?.filter(({ source }) => source === name).map(({ text }) => text);
      expect(shown("tool_number")).toEqual([...long, expect.stringMatching(/^\[MASKED_CC\]#/)]);
      expect(shown("value")).toEqual(expect.arrayContaining(short));
    },
  );

  test.each([
    ["a message", (value: object) => ({ messages: [{ role: "user", content: "Go.", ...value }] })],
    ["a tool", (value: object) => ({ input: "Go.", tools: [{ type: "web_search", ...value }] })],
  ])(
    "many empty values below a long name of %s are listed in linear time",
    async (_, payloadOf) => {
      const guard = await makeGuard(await kit(), { gates: [GATE] });

      await expectLinear(
        async (name) => {
          const values = Array.from({ length: name.length / 25 }, () => ({}));
          const payload = payloadOf({ [name]: values });
          await verdictOf(guard, JSON.stringify({ payload, protocol: "llm" }));
        },
        // The longest are below the limit of all pointers together.
        (length) => "n".repeat(length / 4),
      );
    },
    60_000,
  );

  test("an approver sees how many values are not shown", async () => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const padding = Array.from({ length: 600 }, () => "0").join(",");
    const approval_id = approvalIn(
      await verdictOf(guard, pay(`{"amount":5000,"padding":[${padding}]}`)),
    );

    expect((await contentOf(approval_id))?.at(0)).toMatchObject({
      source: "not_shown",
      text: expect.stringMatching(/: 101 values are not shown/),
    });
  });

  test("an approver sees how many of more than a thousand images are not shown", async () => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const png = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01", "latin1").toString("base64");
    const images = Array.from({ length: 1200 }, () => `data:image/png;base64,${png}`);
    const approval_id = approvalIn(await verdictOf(guard, pay(JSON.stringify({ images }))));

    expect((await contentOf(approval_id))?.at(0)?.text).toContain(": 700 values are not shown");
  });

  test("an approver sees that a long argument is truncated", async () => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const command = `echo ${"padding ".repeat(150_000)}; rm -rf /`;
    const approval_id = approvalIn(await verdictOf(guard, pay(JSON.stringify({ command }))));

    expect((await contentOf(approval_id))?.at(0)).toMatchObject({
      source: "not_shown",
      text: expect.stringContaining("one is truncated"),
    });
  });

  test("an approver sees tool arguments that are sent as attributes, masked and as written", async () => {
    const guard = await makeGuard(await kit(), { gates: [GATE] });
    const tool = '{"name":"pay","arguments":{"order":9007199254740993,"to":"ana@example.com"}}';
    const body = `{"payload":{"input":"go"},"attributes":{"tool": ${tool},"tool.command":"pay now","transcript":"long"}}`;
    const content = await contentOf(approvalIn(await verdictOf(guard, body)));

    expect(content?.filter(({ source }) => source === "attribute")).toEqual([
      expect.objectContaining({
        pointer: "/attributes/tool",
        text: expect.stringMatching(/"order":9007199254740993,"to":"\[MASKED_EMAIL\]#\w{8}"\}\}$/),
      }),
      expect.objectContaining({ pointer: "/attributes/tool.command", text: '"pay now"' }),
    ]);
  });

  test("the content of an approval is sealed in the database, and deleted when decided or expired", async () => {
    const shared = await kit();
    const guard = await makeGuard(shared, { gates: [GATE] }, { content_storage: "none" });
    const stored = (id: string) =>
      shared.db.many<{ content: string }>(
        "SELECT content FROM approval_contents WHERE id = $1",
        id,
      );
    const [decided, expired, listed] = [
      approvalIn(await verdictOf(guard, pay('{"purpose":"rent"}'))),
      approvalIn(await verdictOf(guard, pay('{"purpose":"car"}'))),
      approvalIn(await verdictOf(guard, pay('{"purpose":"food"}'))),
    ];
    const [before] = await stored(decided);
    await decide(decided, "denied");
    for (const [id, end] of [
      [expired, () => sweep(shared.deps)],
      [listed, () => shared.get("/v1/approvals")],
    ] as const) {
      await shared.db.run("UPDATE approvals SET expires_at = $1 WHERE id = $2", PAST, id);
      expect(await contentOf(id)).toBeNull();
      await end();
    }

    expect(before?.content).toStartWith("sealed:");
    expect(await Promise.all([decided, expired, listed].map(stored))).toEqual([[], [], []]);
    expect(await contentOf(decided)).toBeNull();
  });

  test("the inbox lists approvals and Store requests with filters, page by page, within the gateways of the token", async () => {
    const shared = await kit();
    const store = await startStore(shared, "request");
    const { id: gateway_id } = store.gateway;
    const guard = await makeGuard(shared, { gates: [{ ...GATE, name: "in" }] }, { gateway_id });
    const denied = approvalIn(await verdictOf(guard, pay('{"amount":1}')));
    const pending = approvalIn(await verdictOf(guard, pay('{"amount":2}')));
    await store.install({ code: "pub", reason: "Please", principal_sub: "Decides" });
    await decide(denied, "denied");
    const { token } = await shared.make<{ token: string }>("/v1/tokens", {
      name: "Decides",
      role: "approver",
      gateway_ids: [gateway_id],
    });
    const inbox = async (query: string, headers = {}) =>
      (await (
        await shared.call("GET", `/v1/inbox?gateway_id=${gateway_id}&${query}`, undefined, headers)
      ).json()) as {
        items: InboxItem[];
        next_cursor: string | null;
      };
    const ids = async (query: string) => (await inbox(query)).items.map(({ id }) => id);

    const { items } = await inbox("state=pending");
    expect(items[0]?.server_name).toBe("Server pub");
    expect(items).toMatchObject([
      { kind: "store_request", requester: "Decides", subject: "pub", reason: "Please", own: false },
      { id: pending, kind: "evaluation", requester: "ana", subject: "in", tool: "pay", gateway_id },
    ]);
    expect(await ids("state=rejected")).toEqual([denied]);
    expect(await ids("kind=evaluation")).toEqual([pending, denied]);
    expect(await ids("q=PUB&kind=store_request")).toEqual([String(items[0]?.id)]);
    expect(await ids(`to=${items[0]?.created_at}`)).toEqual([pending, denied]);
    const first = await inbox("limit=1");
    expect(await ids(`limit=1&cursor=${first.next_cursor}`)).toEqual([pending]);
    const limited = await inbox("", { authorization: `Bearer ${token}` });
    expect(limited.items).toMatchObject([{ kind: "store_request", own: true }]);
    await shared.db.run("UPDATE approvals SET expires_at = $1 WHERE id = $2", OLD, pending);
    expect(await ids("state=expired")).toEqual([pending]);
    expect((await shared.get("/v1/inbox?cursor=x")).status).toBe(422);
  });

  test("an administrator cannot decide their own request, however the client writes their name", async () => {
    const shared = await kit();
    const guard = await makeGuard(shared, { gates: [GATE] });
    const tokenFor = async (more: object) => {
      const made = { name: `token ${crypto.randomUUID()}`, role: "admin", ...more };
      return (await shared.make<{ token: string }>("/v1/tokens", made)).token;
    };
    const name = `ana weiß \u0390 ${crypto.randomUUID()}`;
    const tokens = [await tokenFor({ principal_sub: name }), await tokenFor({ name })];
    const other = await tokenFor({ principal_sub: "bo" });
    const spellings = [
      ...[name, name.toUpperCase(), ` ${name}`, name.replace("a", "\uff41")],
      `${name}\u200b`,
    ];
    for (const consumer_id of spellings) {
      const sent = pay('{"amount":1}').replace('"ana"', JSON.stringify(consumer_id));
      const approval_id = approvalIn(await verdictOf(guard, sent));
      for (const token of tokens) {
        const refused = await decide(approval_id, "approved", token);
        expect([refused.status, (await refused.json()).error]).toEqual([403, "forbidden"]);
      }
      expect((await decide(approval_id, "approved", other)).status).toBe(200);
    }
  });

  test("an administrator cannot decide a request that their token sent in another's name", async () => {
    const shared = await kit();
    await using guarded = await makeGuardedConsumer(shared, { gates: [GATE] });
    const { collector, gateway, id, slug } = guarded;
    const tokenFor = async (principal_sub: string) => {
      const made = { name: `token ${crypto.randomUUID()}`, role: "admin", principal_sub };
      return (await shared.make<{ token: string }>("/v1/tokens", made)).token;
    };
    const [token, second, other] = [
      await tokenFor("eve"),
      await tokenFor("eve"),
      await tokenFor("bo"),
    ];
    const authorization = `Bearer ${token}`;
    const openPlayground = async (path: string): Promise<string> =>
      (await (await shared.post(`${path}/playground-token`, undefined, { authorization })).json())
        .token;
    const evaluate = (secret: string, more: object) => {
      const body = { payload: { input: unique("go") }, consumer_id: "ana", ...more };
      return shared.post("/v1/evaluate", body, { authorization: `Bearer ${secret}` });
    };
    const ofCollector = await openPlayground(`/v1/collectors/${collector.id}`);
    const ofConsumer = await openPlayground(`/v1/gateways/${gateway.id}/consumers/${id}`);
    const chat = () =>
      fetch(`${shared.url}/${slug}/v1/chat/completions`, {
        method: "POST",
        headers: { "x-ag-playground-token": ofConsumer },
        body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "go" }] }),
      });

    await evaluate(token, { collector_key: collector.collector_key });
    await evaluate(ofCollector, {});
    await chat();

    const list = await shared.get(`/v1/approvals?collector_id=${collector.id}`);
    const { items } = (await list.json()) as { items: { id: string }[] };
    expect(items.length).toBe(3);
    const isOwn = async (by: string) => {
      const reply = await shared.call("GET", "/v1/inbox", undefined, {
        authorization: `Bearer ${by}`,
      });
      const inbox = ((await reply.json()) as { items: InboxItem[] }).items;
      return inbox.filter((item) => items.some((one) => one.id === item.id)).map(({ own }) => own);
    };
    expect(await isOwn(second)).toEqual([true, true, true]);
    expect(await isOwn(other)).toEqual([false, false, false]);
    for (const { id: approval_id } of items) {
      const tried = [token, second, other].map((by) => () => decide(approval_id, "approved", by));
      const statuses: number[] = [];
      for (const attempt of tried) statuses.push((await attempt()).status);
      expect(statuses).toEqual([403, 403, 200]);
    }
  });

  test("an administrator cannot decide a request with a key that they created, unless they are an owner", async () => {
    const shared = await kit();
    await using guarded = await makeGuardedConsumer(shared, { gates: [GATE] });
    const { collector, gateway, id, slug } = guarded;
    const tokenFor = async (principal_sub: string, role: string) => {
      const made = { name: `token ${crypto.randomUUID()}`, role, principal_sub };
      return (await shared.make<{ token: string }>("/v1/tokens", made)).token;
    };
    const collectors = `/v1/collectors/${collector.id}`;
    const consumer = `/v1/gateways/${gateway.id}/consumers/${id}`;
    /** Sends one request with each kind of key, all created by this token. */
    const sendWithKeysOf = async (token: string) => {
      const create = async (path: string): Promise<Record<string, string>> => {
        const headers = { authorization: `Bearer ${token}` };
        return await (await shared.post(path, { name: unique("key") }, headers)).json();
      };
      const evaluate = (secret?: string, more = {}) => {
        const body = { payload: { input: unique("go") }, consumer_id: "ana", ...more };
        return shared.post("/v1/evaluate", body, { authorization: `Bearer ${secret}` });
      };
      const first = await create(`${collectors}/keys`);
      await evaluate(first.key);
      const headers = { authorization: `Bearer ${token}` };
      const rotated = await shared.post(`${collectors}/keys/${first.id}/rotate`, {}, headers);
      await evaluate((await rotated.json()).key);
      const client = await create(`${collectors}/service-clients`);
      const { id: client_id, client_secret } = client;
      const grant_type = "client_credentials";
      const issued = await shared.post("/v1/token", { grant_type, client_id, client_secret });
      const { collector_key } = collector;
      await evaluate((await issued.json()).access_token, { collector_key });
      const { key = "" } = await create(`${consumer}/keys`);
      const messages = [{ role: "user", content: unique("go") }];
      await fetch(`${shared.url}/${slug}/v1/chat/completions`, {
        method: "POST",
        headers: { "x-ag-api-key": key },
        body: JSON.stringify({ model: "m", messages }),
      });
      const list = await shared.get(`/v1/approvals?status=pending&collector_id=${collector.id}`);
      return ((await list.json()) as { items: { id: string }[] }).items.map((item) => item.id);
    };
    const [eve, second, bo] = [
      await tokenFor("eve", "admin"),
      await tokenFor("eve", "approver"),
      await tokenFor("bo", "admin"),
    ];
    const owner = await tokenFor("olga", "owner");

    const ofEve = await sendWithKeysOf(eve);
    expect(ofEve).toHaveLength(4);
    for (const approval_id of ofEve) {
      const statuses: number[] = [];
      for (const by of [eve, second, bo]) {
        statuses.push((await decide(approval_id, "approved", by)).status);
      }
      expect(statuses).toEqual([403, 403, 200]);
    }
    const ofOwner = await sendWithKeysOf(owner);
    expect(ofOwner).toHaveLength(4);
    for (const approval_id of ofOwner) {
      expect((await decide(approval_id, "approved", owner)).status).toBe(200);
    }
  });

  test("an approval covers only requests of the administrator who sent it, or of other clients", async () => {
    const shared = await kit();
    const guard = await makeGuard(shared, { gates: [GATE] });
    const tokenFor = async (principal_sub: string) => {
      const made = { name: `token ${crypto.randomUUID()}`, role: "admin", principal_sub };
      return (await shared.make<{ token: string }>("/v1/tokens", made)).token;
    };
    const [eve, bo] = [await tokenFor("eve"), await tokenFor("bo")];
    const { collector_key } = guard.collector;
    const asEve = async (more = {}): Promise<Verdict> => {
      const body = {
        ...JSON.parse(pay('{"amount":1}', `,"collector_key":"${collector_key}"`)),
        ...more,
      };
      const headers = { authorization: `Bearer ${eve}` };
      return await (await shared.post("/v1/evaluate", body, headers)).json();
    };

    const ofClient = approvalIn(await verdictOf(guard, pay('{"amount":1}')));
    const ofEve = approvalIn(await asEve());
    const repeated = approvalIn(await asEve());
    const statuses = [
      (await decide(ofEve, "approved", eve)).status,
      (await decide(ofClient, "approved", eve)).status,
    ];
    const presented = async (approval_id: string) =>
      (await asEve({ attributes: { approval_id } })).status as string;

    expect(repeated).toBe(ofEve);
    expect(statuses).toEqual([403, 200]);
    expect(await presented(ofClient)).toBe("ask");
    expect(await presented(ofEve)).toBe("ask");
    await decide(ofEve, "approved", bo);
    expect(await presented(ofEve)).toBe("report");
  });
});

const PAST = "2020-01-01T00:00:00.000Z";
