import { expect, test } from "bun:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import { readDocumentText } from "./read-document-text.ts";

interface File {
  name: string;
  content: string | Uint8Array;
  /** In the archive's own directory, where a liar would lie. */
  method?: number;
  flags?: number;
  /** Compressed content, instead of that of `content`. */
  packed?: Buffer;
  /** Name in the header of the file itself, and extra fields after it. */
  own?: string;
  /** Bytes after the compressed content. */
  rest?: Uint8Array;
}

function zip(files: File[], claims: { count?: number } = {}): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method = 8, flags = 0, own = name, ...file } of files) {
    const packed = Buffer.concat([
      file.packed ?? (method === 8 ? deflateRawSync(content) : Buffer.from(content)),
      file.rest ?? Buffer.of(),
    ]);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(own.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(local, Buffer.from(own), packed);
    directory.push(entry, Buffer.from(name));
    offset += local.length + own.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(claims.count ?? files.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const body = (inner: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><w:document><w:body>${inner}</w:body></w:document>`;
const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const read = (bytes: Uint8Array) => readDocumentText(bytes, { content_type: null });
const docx = (content: string, ...more: File[]) =>
  zip([
    { name: "[Content_Types].xml", content: "" },
    { name: "word/document.xml", content },
    ...more,
  ]);

test("paragraphs, tabs and breaks of a Word document are read", async () => {
  const content = body(
    `${paragraph("R&amp;D caf&#233;")}<w:p><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/></w:p>`,
  );

  expect(await read(docx(content))).toMatchObject({
    ok: true,
    kind: "archive",
    text: expect.stringContaining("R&D café\na\tb\n\n\n"),
    truncated: false,
  });
});

test.each(["header1", "footer2", "comments", "footnotes", "endnotes"])(
  "word/%s is read too",
  async (part) => {
    const more = { name: `word/${part}.xml`, content: paragraph("beside") };

    expect(await read(docx(body(""), more))).toMatchObject({
      ok: true,
      text: expect.stringContaining("beside\n"),
    });
  },
);

test("text that Word does not show is read: deleted, hidden, behind a picture", async () => {
  const content = body(
    "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>" +
      "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>" +
      '<w:drawing><wp:docPr id="1" name="x" descr="behind"/></w:drawing>',
  );

  expect(await read(docx(content))).toMatchObject({
    text: expect.stringMatching(/deletedhidden\n[\s\S]*behind\n/),
  });
});

test("attributes of XML outside of Office formats are read, and do not split numbers", async () => {
  const xml = '<?xml version="1.0"?><rows><row card="in &quot;quotes&quot;"/>41<b x="y"/>11</rows>';

  expect(await read(zip([{ name: "data.xml", content: xml }]))).toMatchObject({
    ok: true,
    text: expect.stringMatching(/4111\n[\s\S]*in "quotes"\n/),
  });
});

test("sizes and ids of Office documents are not text", async () => {
  const xmlns = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
  const content = `<?xml version="1.0"?><w:document xmlns:w="${xmlns}"><w:p w:rsidR="00112233"/></w:document>`;

  const { text } = (await read(docx(content))) as { text: string };
  expect(text).not.toContain("00112233");
});

test("a body that is stored, not compressed, and named document2 is read", async () => {
  const bytes = zip([{ name: "word/document2.xml", content: paragraph("stored"), method: 0 }]);

  expect(await read(bytes)).toMatchObject({ ok: true, text: expect.stringContaining("stored\n") });
});

const ZEROS = new Uint8Array(32 * 1024 * 1024);
/** Contains no text, so that no other limit applies first. */
const MUTE = Buffer.concat([
  Buffer.from("<?xml "),
  Buffer.alloc(32 * 1024 * 1024, " "),
  Buffer.from("?>"),
]);
const MANY = Array.from({ length: 5001 }, (_, index) => ({ name: `x${index}`, content: "" }));

test.each<[string, () => Uint8Array, string]>([
  ["a zip of zeros", () => zip([{ name: "word/document.xml", content: ZEROS }]), "zip bomb"],
  [
    "many parts that are large in total",
    () =>
      zip(
        Array.from({ length: 3 }, (_, index) => ({
          name: `word/document${index}.xml`,
          content: MUTE,
          method: 0,
        })),
      ),
    "more than 64 MiB together",
  ],
  ["encryption", () => zip([{ name: "word/document.xml", content: "", flags: 1 }]), "encrypted"],
  [
    "an unknown method",
    () => zip([{ name: "word/document.xml", content: "", method: 12 }]),
    "unsupported compression",
  ],
  ["zip64", () => zip([], { count: 0xffff }), "zip64"],
  ["too many files", () => zip(MANY), "more than 5000 files"],
  ["a truncated directory", () => docx(body("")).subarray(0, 60), "damaged"],
  ["a directory with too many entries", () => zip([], { count: 5 }), "damaged"],
])("an archive with %s is rejected", async (_, make, reason) => {
  expect(await read(make())).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
});

const ARCHIVE = docx(body(paragraph("hidden")));
const EMPTY_END = Buffer.from(`PK\x05\x06${"\0".repeat(18)}`, "latin1");

test.each<[string, Uint8Array]>([
  ["a false end record after the true one", Buffer.concat([ARCHIVE, EMPTY_END])],
  ["a false end record with a byte after it", Buffer.concat([ARCHIVE, EMPTY_END, Buffer.of(0)])],
  ["bytes after the end record", Buffer.concat([ARCHIVE, Buffer.of(0)])],
  ["text before it", Buffer.concat([Buffer.from("A plain text, it seems. ".repeat(300)), ARCHIVE])],
])("an archive with %s does not count as read", async (_, bytes) => {
  expect(await read(bytes)).toMatchObject({ ok: false, problem: "unreadable" });
});

test("a file that is missing in the directory of an archive is reported", async () => {
  const shown = zip([{ name: "word/document.xml", content: body(paragraph("shown")) }]);
  const directory = Buffer.from(shown).indexOf("PK\x01\x02");
  const hidden = Buffer.from(zip([{ name: "a.txt", content: "hidden" }]));
  const local = hidden.subarray(0, hidden.indexOf("PK\x01\x02"));
  const bytes = Buffer.concat([shown.subarray(0, directory), local, shown.subarray(directory)]);
  bytes.writeUInt32LE(directory + local.length, bytes.length - 6);

  const found = await read(bytes);

  expect(found).toMatchObject({
    ok: true,
    text: expect.stringContaining("shown"),
    unread: [{ problem: "unreadable", reason: expect.stringContaining("outside") }],
  });
});

test("a file after the compressed content of another one is reported", async () => {
  const hidden = Buffer.from(zip([{ name: "a.txt", content: "hidden" }]));
  const rest = hidden.subarray(0, hidden.indexOf("PK\x01\x02"));
  const content = body(paragraph("shown"));

  expect(await read(zip([{ name: "word/document.xml", content, rest }]))).toMatchObject({
    ok: true,
    text: expect.stringContaining("shown"),
    unread: [{ problem: "unreadable" }],
  });
  expect(await read(zip([{ name: "word/document.xml", content }]))).toMatchObject({ unread: [] });
});

test("text in attributes that readers show is read", async () => {
  const xml = [
    '<sheet name="hidden 1"/>',
    '<v:textpath string="hidden 2"/>',
    '<w:docVar w:name="a" w:val="hidden 3"/>',
    '<w:default w:val="hidden 4"/>',
    '<hyperlink display="hidden 5" tooltip="hidden 6"/>',
    '<dataValidation prompt="hidden 7"/>',
    '<w:tblCaption w:val="hidden 8"/>',
    '<w:listEntry w:val="hidden 9"/>',
    '<v:shape alt="hidden 10"/>',
    '<a:hlinkClick tooltip="hidden 11"/>',
    '<dataField name="hidden 12"/>',
  ].join("");

  const { text } = (await read(docx(body(xml)))) as { text: string };

  for (let i = 1; i <= 12; i++) expect(text).toContain(`hidden ${i}`);
});

const xmlns = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"';
const odt = (content: string) =>
  zip([{ name: "content.xml", content: `<office:text ${xmlns}>${content}</office:text>` }]);

test("spaces and line ends of an OpenDocument text are read", async () => {
  const content = "<text:p>all<text:s/>previous<text:line-break/>instructions</text:p>";

  expect(await read(odt(content))).toMatchObject({
    text: expect.stringContaining("all previous\ninstructions\n"),
  });
});

const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;

test.each([
  ["hidden text", odt("<text:p>4111 <text:hidden-text>x</text:hidden-text>1111</text:p>")],
  [
    "a text box",
    odt("<text:p>4111 <draw:text-box><text:p>x</text:p></draw:text-box>1111</text:p>"),
  ],
  [
    "an alternative",
    docx(body(`<w:p>${run("4111 ")}<mc:Fallback>${run("x")}</mc:Fallback>${run("1111")}</w:p>`)),
  ],
  [
    "a choice",
    docx(
      body(
        `<w:p>${run("41")}<mc:Choice>${run("x")}</mc:Choice><mc:Fallback>${run("11 11")}</mc:Fallback>${run("11")}</w:p>`,
      ),
    ),
  ],
  [
    "the number of a note before it",
    odt(
      "<text:p>a<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>4111 <text:span>11</text:span>11</text:p></text:note-body></text:note></text:p>",
    ),
  ],
  [
    "a cell of a page before it",
    zip([
      {
        name: "a.xhtml",
        content: "<?xml version='1.0'?><html><td>1</td><td>4111 <b>11</b>11</td>",
      },
    ]),
  ],
])("%s does not part a number", async (_, bytes) => {
  expect(await read(bytes)).toMatchObject({
    text: expect.stringMatching(/(?<!\d)4111 1111(?!\d)/),
  });
});

test("the text of a part does not continue that of the part before it", async () => {
  const content = (text: string) => `<?xml version="1.0"?><a>${text}<b>11</b></a>`;
  const files = ["41", "41"].map((text, at) => ({ name: `${at}.xml`, content: content(text) }));

  expect(await read(zip(files))).toMatchObject({ text: expect.not.stringContaining("41114111") });
});

test("a number of a sheet is read without its exponent", async () => {
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const content = `<worksheet xmlns="${main}"><c><v>4.111111111111111E15</v></c></worksheet>`;

  expect(await read(zip([{ name: "xl/worksheets/sheet1.xml", content }]))).toMatchObject({
    text: expect.stringContaining("4111111111111111"),
  });
});

test.each(["utf8", "utf16le"] as const)(
  "unusual names of files and folders, and comments of an archive in %s are read",
  async (encoding) => {
    const comment = Buffer.from("hidden comment", encoding);
    const hidden = [
      "word/hidden name.txt",
      "hidden folder/",
      "4111111111111111",
      "x/AKIA2EXAMPLEEXAMPLE2",
    ];
    const files = [...hidden, "word/usual.txt"].map((name) => ({ name, content: "" }));
    const own = { name: "a.txt", content: "", own: "a.txt\0\x01hidden field" };
    const content = body(paragraph("shown"));
    const bytes = Buffer.from(docx(content, ...files, own));
    bytes.writeUInt16LE(comment.length, bytes.length - 2);

    const { text } = (await read(Buffer.concat([bytes, comment]))) as { text: string };

    for (const each of ["hidden comment", "hidden field", ...hidden]) expect(text).toContain(each);
    expect(text).not.toContain("usual.txt");
    expect(text).not.toContain("a.txt");
  },
);

test("extra fields that many entries share count against the budget each time", async () => {
  const file = { name: "a", content: "", method: 0, own: "a".repeat(60_000) };
  const bytes = Buffer.from(zip([file]));
  const directory = bytes.subarray(bytes.length - 22 - 47, bytes.length - 22);
  const end = Buffer.from(bytes.subarray(-22));
  end.writeUInt16LE(4000, 10);
  const start = bytes.subarray(0, bytes.length - 22 - 47);

  expect(await read(Buffer.concat([start, ...Array(4000).fill(directory), end]))).toMatchObject({
    ok: false,
    problem: "over_budget",
  });
});

test("damaged files that inflate count against the budget", async () => {
  const packed = deflateRawSync(Buffer.alloc(1_000_000)).subarray(0, -1);
  const files = Array.from({ length: 100 }, (_, at) => ({ name: `${at}`, content: "", packed }));

  expect(await read(docx(body(paragraph("Notes")), ...files))).toMatchObject({
    text: expect.stringContaining("Notes"),
    unread: [{ problem: "unreadable" }, { problem: "over_budget" }],
  });
  expect(await read(zip(files))).toMatchObject({ ok: false, problem: "over_budget" });
});

test("damaged gzip files count against the budget", async () => {
  const content = gzipSync(Buffer.alloc(1_000_000)).subarray(0, -9);
  const files = Array.from({ length: 100 }, (_, at) => ({ name: `${at}`, content }));

  expect(await read(docx(body(paragraph("Notes")), ...files))).toMatchObject({
    unread: [{ problem: "unreadable" }, { problem: "over_budget" }],
  });
});

test("entities that a document defines are read in their definition and not expanded", async () => {
  const content = `<!DOCTYPE x [<!ENTITY a "secret"><!ENTITY b "&a;&a;&a;&a;">]>${paragraph("&b;&b;")}`;

  expect(await read(docx(content))).toMatchObject({
    ok: true,
    text: expect.stringMatching(/&b;&b;[\s\S]*secret/),
    unread: [{ problem: "unreadable", reason: expect.stringContaining("entities") }],
  });
});

const TEXT = "read me";

test.each<[string, File[]]>([
  ["a body under another name", [{ name: "word/body.xml", content: body(paragraph(TEXT)) }]],
  ["a body outside of word/", [{ name: "x/y.dat", content: body(paragraph(TEXT)) }]],
  [
    "a part that is named twice",
    [
      { name: "word/document.xml", content: body("") },
      { name: "word/document.xml", content: body(paragraph(TEXT)) },
    ],
  ],
  ["a glossary", [{ name: "word/glossary/document.xml", content: body(paragraph(TEXT)) }]],
  ["an altChunk of HTML", [{ name: "word/afchunk.htm", content: `<html><p>${TEXT}</p></html>` }]],
  ["an altChunk of plain text", [{ name: "word/chunk.txt", content: TEXT }]],
  [
    "an altChunk of RTF",
    [{ name: "word/chunk.rtf", content: String.raw`{\rtf1\ansi r\'65\b ad\b0  m\u101?}` }],
  ],
  [
    "RTF without fallback characters",
    [{ name: "a.rtf", content: String.raw`{\rtf1{\uc2 }\uc0\u114 ea\u100  me}` }],
  ],
  [
    "RTF with fallbacks of two characters, which an inner group does not change",
    [{ name: "a.rtf", content: String.raw`{\rtf1\uc2{\uc0 }\u114 ??ead m\u101 ??}` }],
  ],
  [
    "RTF that declares all its text as a fallback",
    [{ name: "a.rtf", content: String.raw`{\rtf1\uc9999\u65 ????read me}` }],
  ],
  [
    "a document in a document",
    [
      {
        name: "word/chunk.docx",
        content: zip([{ name: "word/document.xml", content: body(paragraph(TEXT)) }]),
      },
    ],
  ],
  [
    "a part in UTF-16",
    [
      {
        name: "word/document.xml",
        content: Buffer.from(`\ufeff${body(paragraph(TEXT))}`, "utf16le"),
      },
    ],
  ],
  [
    "shared strings of a sheet",
    [
      {
        name: "xl/sharedStrings.xml",
        content: `<?xml version="1.0"?><sst><si><t>${TEXT}</t></si></sst>`,
      },
    ],
  ],
  [
    "a slide",
    [
      {
        name: "ppt/slides/slide1.xml",
        content: `<?xml version="1.0"?><p:sld><a:p><a:t>${TEXT}</a:t></a:p></p:sld>`,
      },
    ],
  ],
  [
    "the URL of a link",
    [
      {
        name: "word/_rels/document.xml.rels",
        content: `<?xml version="1.0"?><Relationships><Relationship Target="${TEXT}"/></Relationships>`,
      },
    ],
  ],
])("%s is read", async (_, files) => {
  const result = await read(zip([{ name: "[Content_Types].xml", content: "" }, ...files]));

  expect(result).toMatchObject({ ok: true, text: expect.stringContaining(TEXT), unread: [] });
});

test("parts that cannot be read are listed beside the text", async () => {
  const more: File[] = [
    { name: "word/media/image1.png", content: Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\0", "latin1") },
    { name: "word/locked.xml", content: "x", flags: 1 },
    { name: "word/printerSettings1.bin", content: new Uint8Array(100) },
    {
      name: "word/_rels/document.xml.rels",
      content:
        '<Relationships><Relationship Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/printerSettings" Target="printerSettings1.bin"/></Relationships>',
    },
  ];

  expect(await read(docx(body(paragraph(TEXT)), ...more))).toMatchObject({
    ok: true,
    text: expect.stringContaining(TEXT),
    unread: [{ problem: "media" }, { problem: "unreadable", reason: "The archive is encrypted." }],
  });
});

test("the name and the comment in the header of gzip are read", async () => {
  const packed = gzipSync(TEXT);
  packed[3] = 0x1c;
  const header = "\x06\0field!hidden name\0hidden comment\0";
  const bytes = Buffer.concat([packed.subarray(0, 10), Buffer.from(header), packed.subarray(10)]);

  const text = `${TEXT}\nfield!hidden name\nhidden comment`;
  expect(await read(bytes)).toMatchObject({ ok: true, kind: "gzip", text });
});

test("gzip is decompressed, and nested gzip up to a depth", async () => {
  const deep = (levels: number): Uint8Array =>
    levels === 0 ? Buffer.from(TEXT) : gzipSync(deep(levels - 1));

  expect(await read(deep(1))).toMatchObject({ ok: true, kind: "gzip", text: TEXT });
  expect(await read(deep(3))).toMatchObject({ ok: false, problem: "unreadable" });
  expect(await read(gzipSync(new Uint8Array(65 * 1024 * 1024)))).toMatchObject({
    ok: false,
    problem: "over_budget",
  });
});

test("other requests run while tags with many attributes are read", async () => {
  const tag = `<a ${"b=1 ".repeat(10_000)}/>`;
  const bytes = zip([{ name: "a.xml", content: `<?xml?>${tag.repeat(100)}`, method: 0 }]);
  let turns = 0;
  const others = setInterval(() => turns++, 1);

  const { ok } = await read(bytes);
  clearInterval(others);

  expect(ok).toBe(true);
  expect(turns).toBeGreaterThan(5);
});
