/** Pages of HTML and XML, calendars and contacts in a payload are read as their readers show them. */
import { expect, test } from "bun:test";
import type { Verdict } from "../../src/contract/guard/evaluate.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();

const PARTED = "<p>4111 <b>1111</b> 1111 1111</p>";
const content = (part: object) => ({ messages: [{ role: "user", content: [part] }] });
const fileOf = (text: string) => {
  const file_data = `data:text/plain;base64,${Buffer.from(text).toString("base64")}`;
  return content({ type: "file", file: { file_data } });
};
const resourceOf = (resource: object) => ({
  messages: [{ role: "tool", content: [{ type: "resource", resource }] }],
});
const CONTACT = "BEGIN:VCARD\r\nNOTE:4111 1111\r\n  1111 1111\r\nEND:VCARD\r\n";
const escaped = PARTED.replaceAll("<", "&lt;").replaceAll(">", "&gt;");

test.each([
  ["an HTML resource", resourceOf({ uri: "file:///a", mimeType: "text/html", text: PARTED })],
  ["a Markdown resource", resourceOf({ uri: "a:b", mimeType: "text/markdown", text: PARTED })],
  ["a resource without a MIME type", resourceOf({ uri: "file:///page.html", text: PARTED })],
  [
    "a text document",
    content({ type: "document", source: { type: "text", media_type: "text/plain", data: PARTED } }),
  ],
  [
    "a data URL without escapes",
    content({ type: "file", file: { file_data: `data:text/html,${PARTED}` } }),
  ],
  ["a contact in base64", fileOf(CONTACT)],
  [
    "HTML in a CDATA section of RSS",
    fileOf(`<rss><item><description><![CDATA[${PARTED}]]></description></item></rss>`),
  ],
  [
    "escaped HTML of an Atom feed",
    fileOf(`<?xml version="1.0"?><feed><content type="html">${escaped}</content></feed>`),
  ],
  ["a page inside a page", fileOf(`<body><iframe srcdoc="${escaped}"></iframe></body>`)],
])("a number that is parted in %s is read", async (_, payload) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");

  const verdict = await guard.evaluate({ payload });

  expect(verdict.status).toBe("block");
  expect(placesOf(verdict)).toMatchObject([{ label: "credit_card" }]);
  expect(verdict.detectors.uninspected).toEqual([]);
});

test("pages of which not all text is read are listed, and a fail-closed collector accepts them", async () => {
  const collector = { fail_mode: "closed" };
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { collector });
  const page = (length: number) => ({
    type: "resource",
    resource: { uri: "file:///a", text: `<p>${"word ".repeat(length / 5)}</p>${PARTED}` },
  });
  const pages = [page(2_100_000), page(100)];

  const { status, detectors } = await guard.evaluate({
    payload: { messages: [{ role: "tool", content: pages }] },
  });

  expect(status).toBe("allow");
  expect(detectors.uninspected).toMatchObject([
    { pointer: "/messages/0/content/0/resource/text", reason: "truncated" },
    { pointer: "/messages/0/content/1/resource/text", reason: "truncated" },
  ]);
});

const placesOf = ({ findings }: Verdict) => findings.flatMap(({ evidence }) => evidence.places);
