/** PDF and Office files in a provider's body are opened like attachments. */
import { expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import type { Verdict } from "../../src/contract/guard/evaluate.ts";
import { docx, zipDocument, zipFiles } from "../kit/docx.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { maxWaitShare, minOfRuns } from "../kit/until.ts";

const kit = sharedKit();

const SECRET = "Card: 4111 1111 1111 1111";
const PDF = pdf(SECRET).toString("base64");
const DOCX = docx(`<w:p><w:t>${SECRET}</w:t></w:p>`).toString("base64");
const PICTURE = Buffer.from(`\x89PNG\r\n\x1a\n${"\x00\x01".repeat(100)}`, "latin1").toString(
  "base64",
);

/** Each body format with a file, and the pointer of the file. */
const STYLES: Record<string, [payload: (data: string) => object, pointer: string]> = {
  "reference chat": [
    (data) => ({ messages: [user([{ type: "file", file: { file_data: url(data) } }])] }),
    "/messages/0/content/0/file/file_data",
  ],
  responses: [
    (data) => ({ input: [user([{ type: "input_file", filename: "a", file_data: url(data) }])] }),
    "/input/0/content/0/file_data",
  ],
  anthropic: [
    (data) => ({
      messages: [user([{ type: "document", source: { type: "base64", media_type: "x/y", data } }])],
    }),
    "/messages/0/content/0/source/data",
  ],
  google: [
    (data) => ({
      contents: [{ role: "user", parts: [{ inlineData: { mimeType: "x/y", data } }] }],
    }),
    "/contents/0/parts/0/inlineData/data",
  ],
  bedrock: [
    (data) => ({
      messages: [user([{ document: { format: "pdf", name: "a", source: { bytes: data } } }])],
    }),
    "/messages/0/content/0/document/source/bytes",
  ],
};
const styles = Object.entries(STYLES).map(([style, [payload, pointer]]) => ({
  style,
  payload,
  pointer,
}));

test.each(styles)(
  "a PDF and a Word document in $style are read, and nothing is rewritten",
  async ({ payload, pointer }) => {
    const shared = await kit();
    const guard = await makeGuardWithRules(shared, "doc_analyzer", {
      collector: { content_storage: "full" },
    });
    const masks = await makeGuardWithRules(shared, "data_loss_prevention", { action: "transform" });

    const verdicts = [
      await guard.evaluate({ payload: payload(PDF) }),
      await guard.evaluate({ payload: payload(DOCX) }),
    ];

    for (const { status, findings, request_id } of verdicts) {
      expect(status).toBe("block");
      expect(findings[0]?.evidence).toMatchObject({
        labels: { credit_card: 1 },
        places: [{ pointer }],
      });
      const stored = await (await shared.get(`/v1/activity/${request_id}`)).text();
      expect(stored).not.toContain("4111 1111");
    }
    expect((await masks.evaluate({ payload: payload(PDF) })).status).toBe("allow");
  },
);

test.each(styles)(
  "an image in $style is not a document, and a broken file is reported",
  async ({ payload, pointer }) => {
    const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });
    const broken = Buffer.from(`%PDF-1.7${"\x00".repeat(80)}`).toString("base64");

    const picture = await guard.evaluate({ payload: payload(PICTURE) });
    const reported = await guard.evaluate({ payload: payload(broken) });

    expect(picture.status).toBe("allow");
    expect(placesOf(reported)).toMatchObject([{ type: "unreadable_attachment", pointer }]);
  },
);

const PAGE = Buffer.from("<html><p>4111 <b>1111</b> 1111 1111</p></html>").toString("base64");

test.each(styles)("a web page in $style is read without its tags", async ({ payload, pointer }) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const dlp = await makeGuardWithRules(await kit(), "data_loss_prevention");

  const verdict = await guard.evaluate({ payload: payload(PAGE) });
  const { detectors } = await dlp.evaluate({ payload: payload(PAGE) });

  expect(verdict.status).toBe("block");
  expect(placesOf(verdict)).toMatchObject([{ label: "credit_card", pointer }]);
  // Its source is inspected as text.
  expect(detectors.uninspected).toEqual([]);
});

test("a document in an MCP result is read by output rules", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { direction: "output" });
  const resource = { uri: "file:///a", mimeType: "text/plain", blob: DOCX };

  const verdict = await guard.evaluate({
    direction: "output",
    protocol: "mcp",
    payload: { jsonrpc: "2.0", id: 1, result: { content: [{ type: "resource", resource }] } },
  });

  expect(verdict.status).toBe("block");
});

test.each([
  "<script>var card = '4111 1111 1111 1111';</script>",
  "<style>/* 4111 1111 1111 1111 */</style>",
  "<p onclick='pay(4111 1111 1111 1111)'>a</p>",
  "<p style='--card: 4111 1111 1111 1111'>a</p>",
  "<x-4111-1111-1111-1111>a</x-4111-1111-1111-1111>",
  "<p data-4111-1111-1111-1111='a'>a</p>",
  "4111 11<script>a</script>11 1111 1111",
  "4111 11<label></label>11 1111 1111",
  "4111&numsp;1111&numsp;1111&numsp;1111",
  "4111 11&ZeroWidthSpace;11 1111 1111",
  `4111 1111 1111 111&#${"0".repeat(20)}49;`,
])("everything in an HTML attachment is inspected: %s", async (inner) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const data = Buffer.from(`<!doctype html><body>${inner}</body>`).toString("base64");

  const { status } = await guard.evaluate({ payload: { attachments: [{ data }] } });

  expect(status).toBe("block");
});

test("a character reference at the end of the first 64 KiB of a page is decoded", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const page = `<!doctype html><body> ${"a ".repeat(32_757)}4111 1111 1111 111&#49;</body>`;
  const data = Buffer.from(page).toString("base64");

  const { status } = await guard.evaluate({ payload: { attachments: [{ data }] } });

  expect(status).toBe("block");
});

test.each([
  "<article>4111 <b>1111</b> 1111 1111</article>",
  '<?xml version="1.0"?><html><body>4111 <b>1111</b> 1111 1111</body></html>',
])("tags part no number in an attachment that does not begin like a page: %s", async (page) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const data = Buffer.from(page).toString("base64");

  const { status } = await guard.evaluate({ payload: { attachments: [{ data }] } });

  expect(status).toBe("block");
});

const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const NUMBER = "4111 1111 1111 1111";
const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
const symbol = (sign: string) => `<w:sym w:char="F0${sign.charCodeAt(0).toString(16)}"/>`;

test.each([
  ["the label of a list", `<w:lvlText w:val="Card ${NUMBER}"/>`],
  ["a format of numbers", `<numFmt formatCode="&quot;Card ${NUMBER}&quot;"/>`],
  ["the data of a pivot table", `<r><s v="Card"/><n v="${NUMBER.replaceAll(" ", "")}"/></r>`],
  ["a value of a cell", `<table:table-cell office:value="${NUMBER.replaceAll(" ", "")}"/>`],
  ["an attribute of another vocabulary", `<row card="${NUMBER}"/>`],
  ["symbols", `Card ${Array.from(NUMBER, symbol).join("")}`],
  [
    "runs around deleted text",
    `${run(NUMBER.slice(0, 7))}<w:delText>x</w:delText>${run(NUMBER.slice(7))}`,
  ],
  [
    "runs around a field code",
    `${run(NUMBER.slice(0, 7))}<w:instrText>x</w:instrText>${run(NUMBER.slice(7))}`,
  ],
  [
    "runs around a hidden one",
    `${run(NUMBER.slice(0, 7))}<w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r>${run(NUMBER.slice(7))}`,
  ],
  [
    "runs after a hidden mark of a paragraph",
    `<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run(NUMBER.slice(0, 7))}${run(NUMBER.slice(7))}`,
  ],
  ...[
    ["a deleted run", `<w:del>${run("x")}</w:del>`],
    ["a moved run", `<w:moveFrom>${run("x")}</w:moveFrom>`],
    ["a phonetic guide", `<w:rt>${run("x")}</w:rt>`],
    ["the position of an image", "<wp:posOffset>635</wp:posOffset>"],
    ["a text box", `<w:txbxContent><w:p>${run("x")}</w:p></w:txbxContent>`],
    ["a comment", `<office:annotation><text:p>x</text:p></office:annotation>`],
    ["a processing instruction", "<?x > x?>"],
  ].map(([name, inner]) => [
    `runs around ${name}`,
    run(NUMBER.slice(0, 7)) + inner + run(NUMBER.slice(7)),
  ]),
  [
    "a prefix of other letters",
    `<_:r><_:t>${NUMBER.slice(0, 7)}</_:t></_:r><é:r><é:t>${NUMBER.slice(7)}</é:t></é:r>`,
  ],
])("%s in an Office document can hide no card", async (_, inner) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const data = docx(`<w:p ${NAMESPACE}>${inner}</w:p>`).toString("base64");

  const { status } = await guard.evaluate({ payload: { attachments: [{ data }] } });

  expect(status).toBe("block");
});

test.each(["", "<!DOCTYPE document>"])(
  "a body without a declaration and prefixes is read as XML: %p",
  async (before) => {
    const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
    const xmlns = NAMESPACE.replace("xmlns:w", "xmlns");
    const inner = run(NUMBER.slice(0, 7)) + run(NUMBER.slice(7));
    const body = `${before}<document ${xmlns}>${inner.replaceAll("w:", "")}</document>`;
    const data = zipDocument(body).toString("base64");

    const { status } = await guard.evaluate({ payload: { attachments: [{ data }] } });

    expect(status).toBe("block");
  },
);

/** As Excel writes them, without white space between the elements. */
test.each([
  ["comments", `<author>Bob</author><comment><text><t>${NUMBER}</t></text></comment>`],
  ["comments", `<comment><t>Paid</t></comment><comment><t>${NUMBER}</t></comment>`],
  ["worksheet", `<oddHeader>Acme</oddHeader><oddFooter>${NUMBER}</oddFooter>`],
  ["worksheet", "<c><f>[1]Sheet1!A1</f><v>4111111111111111</v></c>"],
  ["wsDr", `<rowOff>0</rowOff><p><r><t>4111 1111 </t></r><r><t>1111 1111</t></r></p>`],
  ["coreProperties", `<keywords>${NUMBER}</keywords><lastModifiedBy>Bob</lastModifiedBy>`],
])("values of an Excel file are read apart from each other: %s %s", async (root, inner) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const xmlns = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const data = zipDocument(`<${root} xmlns="${xmlns}">${inner}</${root}>`).toString("base64");

  const { status } = await guard.evaluate({ payload: { attachments: [{ data }] } });

  expect(status).toBe("block");
});

const ORDER = `<name>Alice</name><card>${NUMBER}</card><city>Bonn</city>`;
const OPEN_DOCUMENT = 'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"';

test.each([
  ["customXml/item1.xml", `<?xml version="1.0"?><order xmlns="urn:order">${ORDER}</order>`],
  ["content.opf", `<?xml version="1.0"?><dc:source>a3</dc:source><dc:type>${NUMBER}</dc:type>`],
  ["meta.xml", `<a:meta ${OPEN_DOCUMENT}><k>a</k><k>${NUMBER}</k><k>b</k></a:meta>`],
  [
    "content.xml",
    `<text:p ${OPEN_DOCUMENT}>See<text:note><text:note-citation>1</text:note-citation><text:note-body>` +
      `<text:p>${NUMBER}</text:p></text:note-body></text:note>. More</text:p>`,
  ],
])("elements of XML in an archive are read apart from each other: %s", async (name, xml) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const data = zipFiles({ [name]: xml }).toString("base64");

  const { status } = await guard.evaluate({ payload: { attachments: [{ data }] } });

  expect(status).toBe("block");
});

test("text that refers to entities of its document is reported as not read", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });
  const entities = '<!DOCTYPE w [<!ENTITY a "4111 1111"><!ENTITY b "1111 1111">]>';
  const data = zipDocument(`${entities}<w:document><w:t>Card &a; &b;</w:t></w:document>`);

  const { detectors } = await guard.evaluate({
    payload: { attachments: [{ data: data.toString("base64") }] },
  });

  expect(detectors.uninspected).toMatchObject([{ reason: "unreadable" }]);
});

test("fonts, sizes and namespaces of an Office document are not text", async () => {
  const guard = await makeGuardWithRules(await kit(), "url_analyzer", {
    settings: { allowed_domains: ["example.com"] },
  });
  const inner = '<w:rFonts w:ascii="Times New Roman"/><a:ext cx="5486400" cy="3200400"/>';
  const data = docx(`<w:p ${NAMESPACE}>${inner}</w:p>`).toString("base64");

  expect((await guard.evaluate({ payload: { attachments: [{ data }] } })).status).toBe("allow");
});

test("a document that inflates without bound is not read, and is reported", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", {
    action: "report",
    collector: { fail_mode: "open" },
  });
  const bomb = docx("<w:t>a</w:t>".repeat(8_000_000)).toString("base64");
  const { payload } = styles[0] ?? expect.unreachable();

  const reported = await guard.evaluate({ payload: payload(bomb) });

  expect(placesOf(reported)).toMatchObject([{ type: "unreadable_attachment" }]);
}, 30_000);

test("the first twenty documents are read, and the rest is reported", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", {
    action: "report",
    collector: { fail_mode: "open" },
  });
  const file = { type: "file", file: { file_data: url(pdf("harmless").toString("base64")) } };

  const reported = await guard.evaluate({
    payload: { messages: [user(Array.from({ length: 22 }, () => file))] },
  });

  expect(placesOf(reported)).toMatchObject([
    { pointer: "/messages/0/content/20/file/file_data", problem: "only the first 20 are read" },
    { pointer: "/messages/0/content/21/file/file_data" },
  ]);
});

test("more than twenty attachments are a 400, and an attachment read in part is reported", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });
  const attached = (count: number, text: string) => ({
    payload: {
      attachments: Array.from({ length: count }, () => ({
        filename: "a.txt",
        data: Buffer.from(text).toString("base64"),
      })),
    },
  });

  const reported = await guard.evaluate(attached(1, "a ".repeat(1_000_001)));

  expect(placesOf(reported)).toMatchObject([{ problem: "only its beginning was read" }]);
  expect((await guard.send(attached(20, "hello"))).status).toBe(200);
  expect((await guard.send(attached(21, "hello"))).status).toBe(400);
});

test("an empty attachment has nothing to report, and one without data and url is a 400", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });

  const verdict = await guard.evaluate({ payload: { attachments: [{ data: "" }] } });
  const absent = await guard.send({ payload: { attachments: [{ data: "", url: "" }] } });

  expect(verdict).toMatchObject({ status: "allow", findings: [] });
  expect(absent.status).toBe(400);
});

test("other requests are served while a small file with much text is read", async () => {
  const shared = await kit();
  const guard = await makeGuardWithRules(shared, "doc_analyzer", { action: "report" });
  const data = SLOW;
  const judge = async () => {
    const verdict = await guard.evaluate({ payload: { attachments: [{ data }] } });
    expect(placesOf(verdict)).toEqual([]);
  };
  const share = () => maxWaitShare(judge, [() => shared.get("/healthz")]);

  expect(data.length).toBeLessThan(64 * 1024);
  expect(await minOfRuns(share, 0.7)).toBeLessThan(0.7);
}, 30_000);

/** Less than 64 KiB in the body, and slow to inspect. */
const SLOW = docx(
  `<w:p><w:t>${Array.from({ length: 24_000 }, (_, i) => `${"a.b@".repeat(20)}${(i * 7919) % 99}`).join("")}</w:t></w:p>`,
).toString("base64");

/** Small in the body, and much to inflate: 14 of them exceed what one evaluation may use. */
const HEAVY = docx(`<!--${"<a b='c'>".repeat(1_000_000)}-->${noise(100_000)}`).toString("base64");
const heavyBody = { payload: { attachments: Array.from({ length: 14 }, () => ({ data: HEAVY })) } };

test("documents of one evaluation share one budget, and the fail mode applies beyond it", async () => {
  const rule = { action: "report" } as const;
  const open = await makeGuardWithRules(await kit(), "doc_analyzer", {
    ...rule,
    collector: { fail_mode: "open" },
  });
  const closed = await makeGuardWithRules(await kit(), "doc_analyzer", rule);

  const { detectors } = await open.evaluate(heavyBody);
  const refused = await closed.send(heavyBody);

  expect(detectors.uninspected.map(({ reason }) => reason)).toContain("over_budget");
  expect(refused.status).toBe(500);
  expect(await refused.json()).toMatchObject({ error: expect.stringContaining("fail-closed") });
}, 60_000);

test("a document is read while another collector keeps the workers busy", async () => {
  const busy = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });
  const other = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });
  const ended: string[] = [];
  const ends = (name: string) => () => ended.push(name);

  const slow = { payload: { attachments: [{ data: SLOW }] } };
  const fast = { payload: { attachments: [{ data: DOCX }] } };
  // Starts both workers, which may take longer than several documents.
  await Promise.all([busy.evaluate(fast), other.evaluate(fast)]);

  const running = Array.from({ length: 6 }, () => busy.evaluate(slow).then(ends("busy")));
  await other.evaluate(fast).then(ends("other"));
  await Promise.all(running);

  expect(ended.indexOf("other")).toBeLessThan(3);
}, 60_000);

const placesOf = ({ findings }: Verdict) => findings.flatMap(({ evidence }) => evidence.places);

/** Words that compress badly enough to pass for a document. */
function noise(words: number): string {
  return Array.from({ length: words }, (_, at) => ((at * 7919) % 99_991).toString(36)).join(" ");
}

function user(content: object[]): object {
  return { role: "user", content };
}

function url(data: string): string {
  return `data:application/octet-stream;base64,${data}`;
}

function pdf(text: string): Buffer {
  const content = deflateSync(`BT /F 10 Tf (${text}) Tj ET`);
  const head = [
    "%PDF-1.7",
    "1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj",
    "2 0 obj <</Type/Pages/Kids[3 0 R]/Resources<</Font<</F 5 0 R>>>>>> endobj",
    "3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R>> endobj",
    "5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj",
    `4 0 obj <</Filter/FlateDecode/Length ${content.length}>>stream\n`,
  ].join("\n");
  return Buffer.concat([Buffer.from(head), content, Buffer.from("\nendstream endobj\n")]);
}
