/** Text that a PDF draws in another order than viewers show it. */
import { expect, test } from "bun:test";
import { readDocumentText } from "../read-document-text.ts";

interface Options {
  font?: string;
  form?: string;
}

/** Returns the text of a page in Courier, whose letters are 6 wide at a size of 10. */
async function read(content: string, { font = "Courier", form = "" }: Options = {}) {
  const bytes = Buffer.from(`%PDF-1.7
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R>> endobj
4 0 obj <</Length ${content.length}>>stream\n${content}\nendstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/${font}>> endobj
6 0 obj <</Subtype/Form/Length ${form.length}>>stream\n${form}\nendstream endobj\n`);
  const read = await readDocumentText(bytes, { content_type: null });
  if (!read.ok) throw new Error(read.reason);
  return read;
}

type Piece = [x: number, y: number, text: string];
const draw = (pieces: Piece[], matrix = "1 0 0 1", end = "Tj") =>
  `BT /F 10 Tf ${pieces.map(([x, y, text]) => `${matrix} ${x} ${y} Tm (${text}) ${end}`).join(" ")} ET`;

const CARD = "Card 4111 1111 1111 1111";
const WORDS: Piece[] = CARD.split(" ").map((word, at) => [at === 0 ? 20 : 20 + 30 * at, 700, word]);
const letters = (text: string, y = 700) =>
  Array.from(text, (letter, at): Piece => [20 + 6 * at, y, letter]).filter(([, , l]) => l !== " ");
const isEven = (_: unknown, at: number) => at % 2 === 0;
const isOdd = (_: unknown, at: number) => at % 2 === 1;

test.each<[string, string, Options?]>([
  ["groups from right to left", draw(WORDS.toReversed())],
  [
    "groups with wide gaps",
    draw(WORDS.map(([x, y, text]): Piece => [2 * x, y, text]).toReversed()),
  ],
  [
    "halves that are swapped",
    draw([
      [110, 700, "1111 1111"],
      [20, 700, "Card 4111 1111"],
    ]),
  ],
  [
    "two lines in turns",
    draw(
      WORDS.flatMap(([x, y, text]): Piece[] => [
        [x, y, text],
        [x, 688, "other"],
      ]),
    ),
  ],
  ["letters from right to left", draw(letters(CARD).toReversed())],
  [
    "every second letter first",
    draw([...letters(CARD).filter(isEven), ...letters(CARD).filter(isOdd)]),
  ],
  [
    "every second letter of a string first",
    `BT /F 10 Tf 6 Tc 1 0 0 1 20 700 Tm (${[...CARD].filter(isEven).join("")}) Tj
      1 0 0 1 26 700 Tm (${[...CARD].filter(isOdd).join("")}) Tj ET`,
  ],
  [
    "a string that runs backward",
    `BT /F 10 Tf -12 Tc 1 0 0 1 200 700 Tm (${[...CARD].toReversed().join("")}) Tj ET`,
  ],
  [
    "groups that are not quite on one line",
    draw(WORDS.map(([x, y, text], at): Piece => [x, y + at, text]).toReversed()),
  ],
  [
    "groups that are raised",
    `BT /F 10 Tf 1 0 0 1 0 500 Tm ${WORDS.toReversed()
      .map(([x, , text], at) => `${-at * 20} Ts 1 0 0 1 ${x} ${500 + at * 20} Tm (${text}) Tj`)
      .join(" ")} ET`,
  ],
  [
    "groups of text that points upward",
    draw(WORDS.map(([x, y, text]): Piece => [y, x, text]).toReversed(), "0 1 -1 0"),
  ],
  [
    "groups in a font of negative size",
    draw(WORDS.toReversed(), "-1 0 0 -1").replace("10 Tf", "-10 Tf"),
  ],
  [
    "halves of which one is in a form",
    `/X Do ${draw(WORDS.slice(0, 3))}`,
    { form: draw(WORDS.slice(3)) },
  ],
  [
    "a letter at infinity between groups",
    draw(
      WORDS.toReversed().flatMap((word): Piece[] => [
        word,
        [Number(`9${"9".repeat(308)}`) * 10, 700, "x"],
      ]),
    ).replaceAll("Infinity", "9".repeat(400)),
  ],
])("a line is read as it is shown: %s", async (_, content, options) => {
  const { text } = await read(content, options);

  expect(text.split("\n").map((line) => line.trim())).toContain(CARD);
});

test("the standard fonts have their widths", async () => {
  const pieces: Piece[] = [
    [20, 700, "W"],
    [29.4, 700, "i"],
    [31.7, 700, "l"],
    [33.9, 700, "l"],
  ];
  const { text } = await read(draw(pieces.toReversed()), { font: "Helvetica" });

  expect(text).toEndWith("\nWill\n");
});

test("letters that are drawn over the same ones are read once and twice", async () => {
  const { text } = await read(
    draw([
      [92.3, 700, "1111 1111"],
      [20, 700, "Card 4111 1111"],
    ]),
  );

  expect(text).toEndWith("\nCard 4111 111111 1111\nCard 4111 11111111 1111\n");
});

const LEFT = "the left column has long lines";
const RIGHT = "and so has the right column";
const rows = [700, 688, 676];

test.each<[string, string, string]>([
  ["lines", draw(rows.map((y) => [20, y, CARD])), `${CARD}\n${CARD}\n${CARD}`],
  ["words", draw(WORDS), CARD],
  ["letters", draw(letters(CARD)), CARD],
  [
    "columns",
    draw([...rows.map((y): Piece => [20, y, LEFT]), ...rows.map((y): Piece => [220, y, RIGHT])]),
    [LEFT, LEFT, LEFT, RIGHT, RIGHT, RIGHT].join("\n"),
  ],
  [
    "a table",
    draw(
      rows.flatMap((y): Piece[] => [
        [20, y, "Name"],
        [120, y, "17"],
        [220, y, "1111"],
      ]),
    ),
    "Name 17 1111\nName 17 1111\nName 17 1111",
  ],
  [
    "bold letters, drawn twice",
    draw(
      rows.flatMap((y): Piece[] => [
        [20, y, "Name"],
        [20.3, y, "Name"],
      ]),
    ),
    "Name Name\nName Name\nName Name",
  ],
  [
    "superscripts",
    "BT /F 10 Tf 20 700 Td (a note) Tj /F 6 Tf 36 3.5 Td (12) Tj /F 10 Tf 13.2 -3.5 Td (is here) Tj ET",
    "a note\n12 is here",
  ],
])("a page gains no text if it draws in order: %s", async (_, content, text) => {
  expect(await read(content)).toMatchObject({ text: `${text}\n`, unread: [] });
});

test("a table that is drawn by columns gains its rows", async () => {
  const pieces = [20, 120].flatMap((x) => rows.map((y): Piece => [x, y, `${x}/${y}`]));

  expect((await read(draw(pieces))).text).toEndWith(
    "\n20/700 120/700\n20/688 120/688\n20/676 120/676\n",
  );
});

const many = (count: number, make: (at: number) => Piece) =>
  draw(Array.from({ length: count }, (_, at) => make(at)));

test.each<[string, string]>([
  ["pieces", many(30_000, (at) => [-at, 700, "x"])],
  [
    "letters on a line",
    draw([
      [0, 700, "x".repeat(30_000)],
      [-9, 700, "y"],
    ]),
  ],
])("a page with too many %s is listed", async (_, content) => {
  expect(await read(content)).toMatchObject({ ok: true, unread: [{ problem: "unreadable" }] });
});

test("a long page that is drawn in order is not listed", async () => {
  const content = many(30_000, () => [5, 700, "x"]) + many(10_000, (at) => [5, -12 * at, "line"]);

  expect(await read(content)).toMatchObject({ ok: true, unread: [] });
});
