/** A private key is found with its headers, and text that resembles one takes linear time. */
import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { findOpenSecret } from "./find-open-secret.ts";
import { findSecrets } from "./find-secrets.ts";

const BEGIN = "-----BEGIN RSA PRIVATE KEY-----";
const LINE = "kD7mQx2VbT9zRfL4wHs8JpN3cYg6XaE5uBqW";
const HEADERS = ["Proc-Type: 4,ENCRYPTED", "Comment: internationalization, note: b c"];

test.each([
  ["lines", "\n"],
  ["escaped lines", "\\n"],
  ["joined lines", " "],
  ["strings of code", '" +\n  "'],
  ["a list of strings", '", "'],
])("a private key of %s is found with its headers and its END line", (_, separator) => {
  const key = [BEGIN, ...HEADERS, LINE, LINE, "-----END RSA PRIVATE KEY-----"].join(separator);

  const found = findSecrets(`see ${key} there`);

  expect(found).toMatchObject([{ label: "private_key", start: 4, end: 4 + key.length }]);
});

/** Of mails, of comments in programs, of lines that a diff adds or removes, and of lines that a tool numbers. */
const PREFIXES = [
  ...["> ", ">", ">> ", "> > > ", "\t># ", "| ", "> | "],
  ...["# ", "#", "// ", "//", "  * ", "-- ", "--", "; ", "% ", "%% ", "REM ", "  rem ", ":: "],
  ...[" ".repeat(12), " ".repeat(32), `+${" ".repeat(16)}`, ` +${" ".repeat(12)}`],
  ...["+", "+ ", "+    ", "+\t", "++", "++    ", " +", "+# ", "+    // ", "+  rem "],
  ...["-", "- ", "-# ", "-    // ", "-> ", "--;", "-REM "],
  ...["     7\t", "12\\t", "100→", "   100→", "3:", "44: ", "5 | ", " 123456 |"],
];

test.each(PREFIXES)(
  "a private key of lines with the prefix %j is found with its headers and its END line",
  (prefix) => {
    for (const lineBreak of ["\n", "\r\n", "\\n"]) {
      const lines = [
        BEGIN,
        ...HEADERS,
        "",
        `${LINE}${LINE}`,
        "ab==",
        "-----END RSA PRIVATE KEY-----",
      ];
      const key = lines.join(`${lineBreak}${prefix}`);

      const found = findSecrets(`${prefix}${key}${lineBreak}${prefix}Yes`);

      const [start, end] = [prefix.length, prefix.length + key.length];
      expect(found).toMatchObject([{ label: "private_key", start, end }]);
    }
  },
);

test.each([
  '"\n// The internationalization of this message is described elsewhere',
  '"; // internationalization',
  "\n# -----END RSA PRIVATE KEY-----",
  "\n* internationalization\n* interoperability",
  "\n> Is this the right format?",
  "\n+  The internationalization of this message is described elsewhere",
  "\n| internationalization | interoperability |",
  "\n2: internationalization\n3: interoperability",
  '" > /etc/ssl/private/server/key',
])("text that only mentions the BEGIN line is no private key: %j", (text) => {
  expect(findSecrets(BEGIN + text)).toEqual([]);
});

test("a private key of one long line is found completely", () => {
  const key = [BEGIN, LINE.repeat(100), "-----END RSA PRIVATE KEY-----"].join("\n");

  expect(findSecrets(key)).toMatchObject([{ label: "private_key", start: 0, end: key.length }]);
});

test.each([
  ["without headers", [], ""],
  ["with headers", HEADERS, ""],
  ["in a mail", ["", ...HEADERS, ""], ">> > "],
  ["in a comment", HEADERS, "\t// "],
  ["in a comment without spaces", [], "--"],
  ["in a script", HEADERS, "REM "],
  ["in a diff", HEADERS, "+"],
  ["in a diff of YAML", ["", ...HEADERS, ""], "+    "],
  ["in a diff of a comment", HEADERS, "+  # "],
  ["in removed lines of a comment", HEADERS, "-# "],
  ["in numbered lines", HEADERS, "   12\t"],
  ["in lines numbered with a sign", ["", ...HEADERS, ""], " 12 | "],
])("every beginning of a private key %s is open", (_, headers, prefix) => {
  const lines = [BEGIN, ...headers, LINE.repeat(2), LINE, "-----END RSA PRIVATE KEY-----"];
  const key = lines.join(`\n${prefix}`);

  for (let end = "-----BEGIN ".length; end < key.length; end++) {
    expect([end, findOpenSecret(`x ${key.slice(0, end)}`, 0)]).toEqual([end, 2]);
  }
});

test.each([
  "\n...\n",
  ":",
  " > ",
  `\n${LINE}\n(`,
  `\n${LINE}\n-----END RSA PRIVATE KEY-----\n`,
  `\n> ${LINE}\n> -----END RSA PRIVATE KEY-----\n> and`,
  `\n--${LINE}\n-------END RSA PRIVATE KEY-----\n--and`,
  `\n+  ${LINE}\n+  -----END RSA PRIVATE KEY-----\n+  and`,
  `\n 2→${LINE}\n 3→-----END RSA PRIVATE KEY-----\n 4→and`,
])("a private key is not open after %j", (text) => {
  expect(findOpenSecret(BEGIN + text, 0)).toBe(BEGIN.length + text.length);
});

/** Prefixes whose signs may be read as part of the next line, or repeat between lines. */
const PREFIXED = [
  "\n> a: ",
  "\n>\n>a: a: ",
  "\n> > > // ",
  "\n//",
  `\n////${LINE}${LINE}`,
  "\n--",
  "\n        ",
  "\n > > #",
  "\\n>",
  `${BEGIN}\n'a: ,`,
  `${BEGIN}\n> 'a: ,`,
  `\n>${LINE}${LINE}`,
  "\n +",
  "\n++",
  "\n+ +\n +a: a: ",
  `${BEGIN}${"\n +".repeat(6)}a: `,
  `\n+${LINE}${LINE}`,
  "\n+ REM rem: ",
  "\n| ",
  "\n-#",
  "\n- - -",
  "\n-> --",
  "\n--> REM --a: ",
  "\n12\t",
  "\n 1: a: ",
  "\n12 ",
  `${BEGIN}\n1|12|1`,
  `\n12→${LINE}${LINE}`,
];
test.each([
  " a: ",
  "' a: ",
  "\na: a:  a: ",
  `\n${LINE}`,
  ` + + +${LINE}`,
  `${BEGIN} a: `,
  ...PREFIXED,
])("a private key that is followed by %j is scanned in linear time", async (unit) => {
  const scan = (text: string) => [findSecrets(text), findOpenSecret(text, 0)];

  await expectLinear(scan, (length) => `${BEGIN}${unit.repeat(length / 2000)}!`);
});

test.each([`""\\n++a: ${BEGIN}`, `\r\n"a: ${BEGIN}`, `\r\n        a:  REM ${BEGIN}`])(
  "each header of a private key in %j is read in one way",
  (unit) => {
    const text = BEGIN + unit.repeat(100_000 / unit.length);
    findSecrets(unit); // the first run pays for compiling
    const began = process.cpuUsage();

    findSecrets(text);

    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(1000);
  },
);
