/** Request ids and rate limits of the upstream are sent to the client, without replacing those of the gateway. */
import { expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { startLimited } from "../limiter/limited.ts";

const kit = sharedKit();
const CHAT = "/v1/chat/completions";
const ASK = { model: "m", messages: [] };

const ask = async (headers: Record<string, string>, provider = "openai", sent = {}) => {
  await using one = await startConsumer(await kit(), [{ provider }], [{ headers, body: {} }]);
  return (await one.post(CHAT, ASK, sent)).headers;
};

test("rate limits of the upstream keep their names", async () => {
  const limits = {
    "x-ratelimit-limit-requests": "500",
    "X-RateLimit-Remaining-Tokens": "29000",
    "x-ratelimit-reset-requests": "120ms",
    "anthropic-ratelimit-input-tokens-remaining": "40000",
    "ratelimit-policy": '"default";q=100;w=10',
    "retry-after-ms": "1500",
  };

  const headers = await ask(limits);

  for (const [name, value] of Object.entries(limits)) expect(headers.get(name)).toBe(value);
});

test.each([
  ["openai", "x-request-id", {}],
  ["anthropic", "request-id", { "anthropic-version": "2023-06-01" }],
])(
  "the request id of %s is in X-AG-Upstream-Request-Id, the gateway's in %s",
  async (provider, name, sent) => {
    const headers = await ask({ [name]: "req_of_the_upstream" }, provider, sent);

    expect(headers.get("x-ag-upstream-request-id")).toBe("req_of_the_upstream");
    expect(headers.get(name)).toMatch(/^[0-9a-f-]{36}$/);
  },
);

test("a request id in another header of Azure or AWS keeps its name", async () => {
  const ids = { "apim-request-id": "a-1", "x-amzn-requestid": "a-2" };

  const headers = await ask(ids);

  expect([headers.get("apim-request-id"), headers.get("x-amzn-requestid")]).toEqual(["a-1", "a-2"]);
});

test("an upstream cannot set the rate-limit headers of the gateway", async () => {
  await using limited = await startLimited(await kit(), {
    limits: { global: { limit: 9, window: "1m" } },
  });
  limited.upstream.script({
    headers: {
      "x-ratelimit-global-limit": "1",
      "x-ratelimit-per_ip-remaining": "1",
      "x-ratelimit-store": "theirs",
      "x-ag-guard": "allow",
    },
    body: {},
  });

  const { headers } = await limited.ask();

  expect(headers.get("x-ratelimit-global-limit")).toBe("9");
  expect(headers.get("x-ratelimit-per_ip-remaining")).toBeNull();
  expect(headers.get("x-ratelimit-store")).toBeNull();
  expect(headers.get("x-ag-guard")).toBeNull();
});

test("headers of one response are not in the next, and an error response has them too", async () => {
  await using one = await startConsumer(
    await kit(),
    [{ provider: "openai" }],
    [
      (_hit, count) => ({
        status: count === 1 ? 400 : 200,
        headers: count === 1 ? { "x-ratelimit-limit-requests": "500", "x-request-id": "one" } : {},
        body: {},
      }),
    ],
  );

  const [first, second] = [await one.post(CHAT, ASK), await one.post(CHAT, ASK)];

  expect(first.status).toBe(400);
  expect(first.headers.get("x-ratelimit-limit-requests")).toBe("500");
  expect(first.headers.get("x-ag-upstream-request-id")).toBe("one");
  expect(second.headers.get("x-ratelimit-limit-requests")).toBeNull();
  expect(second.headers.get("x-ag-upstream-request-id")).toBeNull();
});

test("at most 32 of these headers are sent", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`x-ratelimit-limit-${index}`, "1"]),
  );

  const headers = await ask(many);

  expect([...headers.keys()].filter((name) => name.startsWith("x-ratelimit-")).length).toBe(32);
});

test("a response that the gateway converts keeps them", async () => {
  const body = { audio_data: Buffer.from("audio").toString("base64") };
  const headers = { "x-ratelimit-limit-requests": "500", "x-request-id": "one" };
  await using one = await startConsumer(
    await kit(),
    [{ provider: "mistral" }],
    [{ headers, body }],
  );

  const reply = await one.post("/v1/audio/speech", { model: "m", input: "x", voice: "v" });

  expect(await reply.text()).toBe("audio");
  expect(reply.headers.get("content-type")).toBe("audio/mpeg");
  expect(reply.headers.get("x-ratelimit-limit-requests")).toBe("500");
  expect(reply.headers.get("x-ag-upstream-request-id")).toBe("one");
});
