/** Model discovery from the configuration. */
import { expect, test } from "bun:test";
import { type Attach, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();

async function setUp(attach: Omit<Attach, "url">[]) {
  const upstream = startUpstream();
  const given = attach.map((each) => ({ ...each, url: upstream.url }));
  const consumer = await makeConsumer(await kit(), given);
  return { ...consumer, upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

const listed = async (reply: Response) =>
  ((await reply.json()) as { data: { id: string }[] }).data.map(({ id }) => id);

test("the list is sorted, names the owner, and calls no upstream", async () => {
  await using one = await setUp([{ provider: "openai", models: { allowed: ["b", "a"] } }]);

  const reply = await one.get("/v1/models");

  expect(await reply.json()).toEqual({
    object: "list",
    data: [
      { id: "a", object: "model", created: expect.any(Number), owned_by: "openai" },
      { id: "b", object: "model", created: expect.any(Number), owned_by: "openai" },
    ],
  });
  expect(reply.headers.get("x-ag-trace-id")).toBeTruthy();
  expect(one.upstream.hits.length).toBe(0);
});

test("a listed model is returned, an unlisted one is a 404", async () => {
  await using one = await setUp([{ provider: "groq", models: { allowed: ["a", "x/y"] } }]);

  const card = await one.get("/v1/models/a");
  const unknown = await one.get("/v1/models/zzz");
  const slashed = await one.get("/v1/models/x/y");

  expect(await card.json()).toEqual({
    id: "a",
    object: "model",
    created: expect.any(Number),
    owned_by: "groq",
  });
  expect([unknown.status, slashed.status]).toEqual([404, 404]);
});

test("any other method is a 400", async () => {
  await using one = await setUp([{ provider: "openai" }]);

  const reply = await one.post("/v1/models", {});

  expect(reply.status).toBe(400);
});

test("a pattern is not listed as a model", async () => {
  const models = { allowed: ["gpt-4o*", "o3"] };
  await using one = await setUp([{ provider: "openai_compatible", models }]);

  expect(await listed(await one.get("/v1/models"))).toEqual(["o3"]);
  expect((await one.get("/v1/models/gpt-4o*")).status).toBe(404);
});

test("a model of two registries is listed once; defaults are listed, models of disabled registries are not", async () => {
  await using one = await setUp([
    { provider: "openai", models: { allowed: ["shared", "mine"] } },
    { provider: "groq", models: { allowed: ["shared"] } },
    { provider: "openai_compatible", models: { default: "d" } },
    { provider: "xai", models: { allowed: ["gone"] }, enabled: false },
  ]);

  const reply = await one.get("/v1/models");

  expect(await reply.json()).toMatchObject({
    data: [
      { id: "d", owned_by: "openai_compatible" },
      { id: "mine", owned_by: "openai" },
      { id: "shared", owned_by: "openai" },
    ],
  });
});
