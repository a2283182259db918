import { expect, test } from "bun:test";
import { seeded } from "../../../test/kit/random.ts";
import { createHeaderCache } from "./header-cache.ts";

test("a header sheet holds exactly what was last asked for", () => {
  const sheet = createHeaderCache();
  sheet({ "X-One": "1", "x-gone": "secret" });

  expect([...sheet({ "X-One": "2", "x-new": "3" })]).toEqual([
    ["x-new", "3"],
    ["x-one", "2"],
  ]);
});

test("an answer keeps its headers when the sheet goes on", () => {
  const sheet = createHeaderCache();
  const answer = new Response(null, { headers: sheet({ "x-one": "1" }) });

  sheet({ "x-one": "2" });

  expect(answer.headers.get("x-one")).toBe("1");
});

test("a value that cannot stand in a header leaves nothing of it to the next answer", () => {
  const sheet = createHeaderCache();
  sheet({ "x-one": "1" });
  expect(() => sheet({ "x-one": "2", "x-two": "a\nb" })).toThrow(TypeError);

  expect([...sheet({ "x-one": "1" })]).toEqual([["x-one", "1"]]);
});

test("a thousand answers in turn each have their own headers and no others", () => {
  const { below, pick } = seeded(5);
  const sheet = createHeaderCache();
  for (let turn = 0; turn < 1000; turn++) {
    const names = ["x-a", "X-B", "x-c", "x-d"].filter(() => below(4) > 0);
    if (below(10) === 0) names.reverse();
    const wanted = Object.fromEntries(names.map((name) => [name, pick(["", "1", "2"])]));
    if (below(20) === 0) expect(() => sheet({ ...wanted, "x-d": "a\nb" })).toThrow(TypeError);

    expect([...new Response(null, { headers: sheet(wanted) }).headers]).toEqual([
      ...new Headers(wanted),
    ]);
  }
});
