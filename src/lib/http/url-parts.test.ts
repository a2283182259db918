import { expect, test } from "bun:test";
import { fillTemplate, listOriginNames, listTemplateNames } from "./url-parts.ts";

const URL_TEXT = "https://mcp.example.com/{tenant}/mcp?site={site}";

test("names are listed in the order of the URL", () => {
  expect(listTemplateNames(URL_TEXT)).toEqual(["tenant", "site"]);
  expect(listTemplateNames("https://mcp.example.com/{}/{{a}}")).toEqual(["a"]);
});

test("a value cannot change other parts of the URL", () => {
  const filled = fillTemplate(URL_TEXT, (name) => (name === "tenant" ? "../../x" : "a&b=c#d"));

  expect(filled).toBe("https://mcp.example.com/..%2F..%2Fx/mcp?site=a%26b%3Dc%23d");
});

test.each([
  ["https://{a}.example.com/{b}", ["a"]],
  ["https://x0x.example.com/{a}", []],
  ["https://xX{b}.example.com/{a}/{b}", ["b"]],
  ["https://{a}@example.com/{b}", []],
  ["https:\\\\{a}{b}\\{c}", ["a", "b"]],
  ["https://example.com:{a}/{b}", ["a", "b"]],
])("the names in the origin of %s are %j", (url, names) => {
  expect(listOriginNames(url)).toEqual(names);
});
