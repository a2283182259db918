/** The model catalog, and the models of a consumer with its data. */
import { afterAll, expect, test } from "bun:test";
import { CatalogModel } from "../../src/contract/gateway/model-catalog.ts";
import { findShippedModel, SHIPPED_MODELS } from "../../src/contract/gateway/shipped-models.ts";
import { type Attach, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const upstream = startUpstream();
afterAll(() => upstream[Symbol.asyncDispose]());

interface Listed {
  items: CatalogModel[];
  next_cursor: string | null;
}

async function list(search: string): Promise<Listed> {
  return (await (await kit()).get(`/v1/model-catalog${search}`)).json() as Promise<Listed>;
}

test("every entry of the catalog is complete, unique, and names its source and date", () => {
  for (const entry of SHIPPED_MODELS) expect(CatalogModel.parse(entry)).toEqual(entry);
  expect(new Set(SHIPPED_MODELS.map(({ id }) => id)).size).toBe(SHIPPED_MODELS.length);
  expect(SHIPPED_MODELS.length).toBeGreaterThan(100);
});

test("no price exceeds its plausible range: cached input costs less than input, output more", () => {
  for (const { id, prices } of SHIPPED_MODELS) {
    for (const price of [prices, prices?.long_context]) {
      if (!price || price.input === null) continue;
      expect([id, (price.cached_input ?? 0) < price.input]).toEqual([id, true]);
      expect([id, (price.output ?? price.input) >= price.input]).toEqual([id, true]);
      expect([id, (price.cache_write ?? price.input) >= price.input]).toEqual([id, true]);
    }
  }
});

test("pages of the catalog contain every entry once, sorted by id", async () => {
  const ids: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Listed = await list(`?limit=50${cursor && `&cursor=${cursor}`}`);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  }

  expect(ids).toEqual(SHIPPED_MODELS.map(({ id }) => id).toSorted());
});

test("the catalog is filtered by provider, mode and text", async () => {
  const { items } = await list("?provider=openai&mode=embedding&q=3-SMALL");

  expect(items).toEqual([
    {
      id: "openai/text-embedding-3-small",
      provider: "openai",
      model: "text-embedding-3-small",
      name: "text-embedding-3-small",
      mode: "embedding",
      context_window: 8192,
      max_output: null,
      input_modalities: ["text"],
      output_modalities: ["embedding"],
      prices: {
        input: 0.02,
        cached_input: null,
        cache_write: null,
        output: null,
        per: "1M tokens",
        currency: "USD",
        long_context: null,
      },
      retires_on: null,
      source: "https://developers.openai.com/api/docs/pricing",
      as_of: expect.any(String),
    },
  ]);
});

test.each(["input_price", "-input_price", "context_window", "-retires_on"])(
  "sorted by %s, unknown values are last",
  async (sort) => {
    const { items } = await list(`?limit=200&sort=${sort}`);
    const values = items.map(({ prices, context_window, retires_on }) =>
      sort.endsWith("price")
        ? (prices?.input ?? null)
        : sort.endsWith("on")
          ? retires_on
          : context_window,
    );
    const known = values.filter((value) => value !== null);
    const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
    const sorted = known.toSorted((a, b) => (sort.startsWith("-") ? compare(b, a) : compare(a, b)));

    expect(values).toEqual([...sorted, ...values.filter((value) => value === null)]);
    expect(known.length).toBeLessThan(values.length);
  },
);

test.each(["sort=color", "provider=unknown", "cursor=xyz", "limit=0"])(
  "a query with %s is rejected",
  async (search) => {
    const reply = await (await kit()).get(`/v1/model-catalog?${search}`);

    expect(reply.status).toBe(422);
  },
);

async function setUp(attach: Omit<Attach, "url">[], script: Script) {
  upstream.script(script);
  const given = attach.map((each) => ({ ...each, url: upstream.url }));
  const consumer = await makeConsumer(await kit(), given);
  const models = async (search = "") => await (await kit()).get(`${consumer.path}/models${search}`);
  return { ...consumer, models };
}

interface ConsumerModels {
  items: { id: string; catalog: CatalogModel | null; retires_on: string | null }[];
}

test("the models of a consumer have the catalog's data by the name that the upstream receives", async () => {
  const models = { map: { fast: "gpt-5-mini-2025-08-07" }, allowed: ["fast", "gpt-*"] };
  const data = [{ id: "gpt-new", shutdown_date: "2031-05-06" }, { id: "gpt-4.1" }];
  const one = await setUp([{ provider: "openai", models }], { body: { data } });

  const reply = (await (await one.models()).json()) as ConsumerModels;

  const registry = { ...one.registries[0], provider: "openai" };
  expect(reply).toMatchObject({
    items: [
      {
        id: "fast",
        name: "GPT-5 mini",
        capabilities: expect.arrayContaining(["chat", "responses"]),
        registries: [{ id: registry.id, provider: "openai", model: "gpt-5-mini-2025-08-07" }],
        catalog: { id: "openai/gpt-5-mini" },
        retires_on: "2026-12-11",
      },
      { id: "gpt-4.1", name: "GPT-4.1", catalog: { context_window: 1_047_576 } },
      { id: "gpt-new", name: "gpt-new", catalog: null, retires_on: "2031-05-06" },
    ],
    next_cursor: null,
  });
});

test.each([
  ["vertex", "google/gemini-3.5-flash", "google/gemini-3.5-flash"],
  ["openrouter", "openai/gpt-5-2025-08-07", "openai/gpt-5"],
  ["groq", "openai/gpt-oss-120b", "groq/openai/gpt-oss-120b"],
  ["openrouter", "openai/gpt-oss-120b", undefined],
  ["azure", "gpt-5", undefined],
] as const)("at %s, %s is the entry %s", (provider, model, id) => {
  expect(findShippedModel(provider, model)?.id).toBe(id);
});

test("the models of a consumer are searched and paged", async () => {
  const allowed = ["a", "b", "c"];
  const one = await setUp([{ provider: "openai", models: { allowed } }], {});
  const idsOf = async (search: string) =>
    ((await (await one.models(search)).json()) as ConsumerModels).items.map(({ id }) => id);

  expect(await idsOf("?q=B")).toEqual(["b"]);
  expect(await idsOf("?limit=2")).toEqual(["a", "b"]);
});

test("an unknown consumer is a 404", async () => {
  const one = await setUp([], {});

  const other = one.path.replace(one.id, "00000000-0000-4000-8000-000000000000");
  expect((await (await kit()).get(`${other}/models`)).status).toBe(404);
});

test("a registry without a list offers the catalog's models of its provider that are not retired", async () => {
  const one = await setUp([{ provider: "anthropic" }], { status: 404, body: {} });

  const reply = (await (await one.models("?limit=200")).json()) as ConsumerModels;

  const today = new Date().toISOString().slice(0, 10);
  const current = SHIPPED_MODELS.filter(
    ({ provider, retires_on }) =>
      provider === "anthropic" && (retires_on === null || retires_on > today),
  );
  expect(reply.items.map(({ id }) => id)).toEqual(current.map(({ model }) => model).toSorted());
  expect(reply.items.length).toBeLessThan(
    SHIPPED_MODELS.filter(({ provider }) => provider === "anthropic").length,
  );
});

test("a model that the catalog knows is listed only for endpoints of its mode", async () => {
  const models = { allowed: ["text-embedding-3-small"] };
  const one = await setUp([{ provider: "openai", capabilities: ["chat"], models }], {});
  const other = await setUp([{ provider: "openai", models }], {});

  expect(await (await one.models()).json()).toMatchObject({ items: [] });
  expect(await (await other.models()).json()).toMatchObject({
    items: [{ id: "text-embedding-3-small", capabilities: ["embeddings"] }],
  });
});

test("Anthropic's clients get the token limits of the catalog", async () => {
  const models = { allowed: ["claude-opus-4-5"] };
  const one = await setUp([{ provider: "anthropic", models }], {});

  const reply = await one.get("/v1/models/claude-opus-4-5", { "anthropic-version": "2023-06-01" });

  expect(await reply.json()).toMatchObject({
    display_name: "Claude Opus 4.5",
    max_input_tokens: 200_000,
    max_tokens: 64_000,
  });
});
