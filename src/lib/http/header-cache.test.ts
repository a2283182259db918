import { expect, test } from "bun:test";
import { seeded } from "../../../test/kit/random.ts";
import { createHeaderCache } from "./header-cache.ts";

test("the headers are exactly those of the last call", () => {
  const cache = createHeaderCache();
  cache({ "X-One": "1", "x-gone": "secret" });

  expect([...cache({ "X-One": "2", "x-new": "3" })]).toEqual([
    ["x-new", "3"],
    ["x-one", "2"],
  ]);
});

test("a response keeps its headers when the cache is used again", () => {
  const cache = createHeaderCache();
  const response = new Response(null, { headers: cache({ "x-one": "1" }) });

  cache({ "x-one": "2" });

  expect(response.headers.get("x-one")).toBe("1");
});

test("an invalid header value does not affect the next response", () => {
  const cache = createHeaderCache();
  cache({ "x-one": "1" });
  expect(() => cache({ "x-one": "2", "x-two": "a\nb" })).toThrow(TypeError);

  expect([...cache({ "x-one": "1" })]).toEqual([["x-one", "1"]]);
});

test("each of a thousand responses has exactly its own headers", () => {
  const { below, pick } = seeded(5);
  const cache = createHeaderCache();
  for (let turn = 0; turn < 1000; turn++) {
    const names = ["x-a", "X-B", "x-c", "x-d"].filter(() => below(4) > 0);
    if (below(10) === 0) names.reverse();
    const wanted = Object.fromEntries(names.map((name) => [name, pick(["", "1", "2"])]));
    if (below(20) === 0) expect(() => cache({ ...wanted, "x-d": "a\nb" })).toThrow(TypeError);

    expect([...new Response(null, { headers: cache(wanted) }).headers]).toEqual([
      ...new Headers(wanted),
    ]);
  }
});
