import { expect, test } from "bun:test";
import { assignPrefixes, assignToolNames, readPrefix } from "./tool-names.ts";

const named = (...names: string[]) => names.map((name, index) => ({ id: `id-${index}`, name }));
const only = (name: string) => {
  const [prefix] = assignPrefixes(named(name)).values();
  if (!prefix) throw new Error("no prefix");
  return prefix;
};

const hash = (tool: string) => Bun.SHA256.hash(tool, "hex").slice(0, 8);

test.each([
  ["GitHub", "github"],
  ["Google  Drive (EU)", "google_drive_eu"],
  ["__odd__", "odd"],
  ["日本語", "server"],
  ["A name that is far too long for a prefix", "a_name_that_is_far_too_l"],
])("the prefix of %s is %s", (name, slug) => {
  expect(only(name).long).toBe(slug);
});

test("a later instance never changes the name of an older one", () => {
  const names = ["My Server", "my-server", "MY SERVER!", "other"];
  const before = assignPrefixes(named(...names.slice(0, 2)));
  const after = assignPrefixes(named(...names));

  expect([...after].slice(0, 2)).toEqual([...before]);
  const all = [...after.values()].flatMap(({ long, short }) => [long, short]);
  expect(new Set(all).size).toBe(all.length);
});

test("3000 instances of one name have unique prefixes", () => {
  const all = [...assignPrefixes(named(...Array(3000).fill("Server"))).values()];

  expect(new Set(all.flatMap(({ long, short }) => [long, short])).size).toBe(6000);
});

test.each([
  ["plain", "search", "github__search"],
  ["with underscores", "a__b", "github__a__b"],
  [
    "other characters are replaced and a hash is appended",
    "files/read",
    `github__files_read_${hash("files/read")}`,
  ],
  ["only other characters", "日", `github____${hash("日")}`],
])("a tool's name: %s", (_, tool, exposed) => {
  expect(assignToolNames(only("GitHub"), [tool], {}).get(tool)).toBe(exposed);
});

test("every name is unique, at most 64 characters, and of the allowed characters", () => {
  const tools = [
    "a.b",
    "a_b",
    "a/b",
    "x".repeat(58),
    "x".repeat(59),
    `${"x".repeat(200)}1`,
    `${"x".repeat(200)}2`,
    "é".repeat(100),
  ];
  const exposed = [
    ...assignToolNames(only("A name that is far too long for a prefix"), tools, {}).values(),
  ];

  expect(exposed.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
  expect(new Set(exposed).size).toBe(tools.length);
  expect(exposed.every((name) => /^[a-z0-9_]+$/.test(readPrefix(name)))).toBe(true);
});

test("names that a server chose to be equal once exposed are numbered", () => {
  const equal = `a_b_${hash("a b")}`;
  const tools = ["a b", equal, `${equal}_2`, "c"];

  expect([...assignToolNames(only("s"), tools, {}).values()]).toEqual([
    `s__${equal}`,
    `s__${equal}_2`,
    `s__${equal}_2_2`,
    "s__c",
  ]);
});

test("an alias replaces the name, unless it is not unique", () => {
  const aliases = { one: "first", two: "three", four: "same", five: "same", toString: "text" };
  const tools = ["one", "two", "three", "four", "five", "constructor"];

  expect([...assignToolNames(only("s"), tools, aliases).values()]).toEqual([
    "s__first",
    "s__two",
    "s__three",
    "s__four",
    "s__five",
    "s__constructor",
  ]);
});
