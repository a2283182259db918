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
  ["lines of HTML", "<br>\n"],
  ["lines of a JSON string in a JSON string", "\\\\\\n"],
  ["lines of characters that are escaped by number", "\\u000a"],
  ["lines of a URL", "%0A"],
  ["strings of code", '" +\n  "'],
  ["strings of bytes in Python", `\\n"\n    b"`],
  ["strings of .NET", '" + Environment.NewLine +\n"'],
  ["elements of HTML", "</span><br><span>"],
  ["strings of Visual Basic", '" & vbCrLf & _\n"'],
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
  ...["     7\t", "12\\t", "100→", "   100→", "3:", "44: ", "5 | ", " 123456 |", "12-", "  7 "],
  ...[
    "    12\t# ",
    "12→    # ",
    "12\t// ",
    "12\t> ",
    "12\t-",
    "12\t+    ",
    " 7   │ ",
    "! ",
    "@REM ",
  ],
  ...[`${" ".repeat(12)}# `, `+${" ".repeat(12)}// `, `${" ".repeat(10)}- `, " ".repeat(78)],
  ...["../keys/a.pem:1:", "docs/example/secrets.yaml-12-    ", "2026-11-19T08:23:30.000000000Z "],
  ...[`packages/services/${"internationalization/".repeat(5)}key.pem:12:`],
  "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b (Ann Lee 2026-11-19 08:08:25 +0000 12) ",
  ...["web-1  | ", "conf/key.pem:12:", "conf/key.pem-", "Nov 19 08:23:30 host app[123]: "],
  ...["2026-11-19T08:23:30.1234567Z ", "d433e5fc (Ann Lee 2026-11-19 08:08:25 +0000 12) "],
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
  "; publish the other one: ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQDKD7mQx2VbT9zRfL4wHs8JpN3cYg6XaE5uBqW",
  "')) {\n  return importKey(pem);\n}\nimport x from '/packages/services/Authentication2/src/test/resources",
  '"\n"integrity": "sha512-kD7mQx2VbT9zRfL4wHs8JpN3cYg6XaE5uBqWkD7mQx2VbT9zRfL4wHs8JpN3cYg6XaE5"',
  "\n| 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b | main |",
  '",\n  internationalization',
  `\nsrc/main/resources/keys/second.pem:1:${BEGIN}`,
  '",\n"packages/services/authentication/src"',
  '\\n" + base64EncodedPrivateKey + "',
  "\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC...",
  "\nMIIEExampleOfAKeyThatIsReplacedBelow/1Ab2Cd3",
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

test("a private key without a line break is found", () => {
  const key = [BEGIN, LINE.repeat(3), "-----END RSA PRIVATE KEY-----"].join("");

  expect(findSecrets(`TLS_KEY=${key}`)).toMatchObject([
    { label: "private_key", start: 8, end: 8 + key.length },
  ]);
});

test("a private key in a form is found", () => {
  const key = [BEGIN, LINE.repeat(2), "-----END RSA PRIVATE KEY-----"].join("\r\n");
  const form = new URLSearchParams({ name: "server", key, port: "22" }).toString();

  expect(findSecrets(decodeURIComponent(form))).toMatchObject([
    { label: "private_key", start: 16, end: 16 + key.length },
  ]);
});

test.each([
  ["by a tool, in its first line", `${BEGIN}\n${LINE.repeat(3)}...`],
  ["by a tool, in another line", `${BEGIN}\n${LINE}${LINE}\n${LINE}…`],
  ["in each line", `${BEGIN}\n${`${LINE}${LINE}…\n`.repeat(3)}`],
])("a private key that is cut %s is found", (_, text) => {
  const [found] = findSecrets(text);

  expect(found?.end).toBeGreaterThanOrEqual(text.replace(/[.…]+\n?$/, "").length);
});

test.each([
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC...",
  "MIIEpAIBAAKCAQEA\n...",
  "MIIEpAIBAAKCAQEA [...]",
  "MIIEpAIBAAKCAQEA<snip>",
  "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW...",
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg...",
  "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\nQyNTUxOQAAACD...",
  "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAABlwAAAAdzc2gtcn\nNhAAAAAwEAAQAAAYEA... (more lines)",
  `MIIEpAIBAAKCAQEA\n${" ".repeat(14)}...`,
  "MIIEpAIBAAKCAQEA<REDACTED>",
  "MIIEpAIBAAKCAQEA****",
  "MIIEpAIBAAKCAQEA<rest of your private key>",
])("a private key that documentation abbreviates is not found: %s", (line) => {
  for (const lineBreak of ["\n", "\\n"]) {
    expect(findSecrets([BEGIN, line, "-----END RSA PRIVATE KEY-----"].join(lineBreak))).toEqual([]);
  }
});

test("dots after the END line do not abbreviate a private key", () => {
  const key = [BEGIN, LINE, "-----END RSA PRIVATE KEY-----"].join("\n");

  expect(findSecrets(`${key}\nAnd so on...`)).toMatchObject([{ start: 0, end: key.length }]);
});

test.each(["ssh-server | ", "keys/deploy-ssh-key:", "keys/ssh-rsa:", "keys/ecdsa-sha2-nistp256:"])(
  "a private key in lines with the prefix %j is found",
  (prefix) => {
    const key = [BEGIN, `${LINE}${LINE}`, "-----END RSA PRIVATE KEY-----"];
    const text = key.map((line) => prefix + line).join("\n");

    expect(findSecrets(text)).toMatchObject([{ label: "private_key", end: text.length }]);
  },
);

test("a private key in files whose paths resemble a placeholder is found", () => {
  const key = [BEGIN, `${LINE}${LINE}`, "-----END RSA PRIVATE KEY-----"];
  const text = key.map((line, at) => `src/test/resources/exampleKeys/Server.pem:${at}:${line}`);

  expect(findSecrets(text.join("\n"))).toMatchObject([{ label: "private_key" }]);
});

test.each([
  "SECRETKEYDATA".repeat(20),
  "fakekey1234".repeat(20),
  "9f86d081884c7d65".repeat(4),
  `MIIEpAIBAAKCAQEA${"abcd1234EFGH".repeat(20)}`,
])("a private key that somebody typed is found: %s", (line) => {
  for (const lineBreak of ["\n", "\\n"]) {
    const key = [BEGIN, line, "-----END RSA PRIVATE KEY-----"].join(lineBreak);

    expect(findSecrets(key)).toMatchObject([{ start: 0, end: key.length }]);
  }
});

test("names of headers after a BEGIN line extend the search for a key by 2,000 characters", () => {
  const prose = `${BEGIN} is a line of a key.\n${"Version: 1\nDescription: a package\n".repeat(500)}`;

  expect(findSecrets(`${prose}${LINE}`)).toEqual([]);
  expect(findOpenSecret(prose, 0)).toBe(prose.length);
});

const PROSE = "is how a file begins, and it ends in the same way; see the manual. ";

test.each([
  PROSE.repeat(9),
  `\nNote: ${PROSE.repeat(9)}`,
  `\n${LINE}\n${PROSE.repeat(9)}`,
  `\n${LINE}\n-----END RSA PRIVATE KEY-----\n`,
  `\n> ${LINE}\n> -----END RSA PRIVATE KEY-----\n> and`,
  `\n--${LINE}\n-------END RSA PRIVATE KEY-----\n--and`,
  `\n+  ${LINE}\n+  -----END RSA PRIVATE KEY-----\n+  and`,
  `\n 2→${LINE}\n 3→-----END RSA PRIVATE KEY-----\n 4→and`,
])("a private key is not open after %j", (text) => {
  expect(findOpenSecret(BEGIN + text, 0)).toBe(BEGIN.length + text.length);
});

test.each([
  "a",
  "aA1",
  "aaaaaaaaaaaaaaaa ",
  "-----END ",
  "\n12: ",
  " a: ",
  `\n${LINE}`,
  `Version: x ${"aBcDeFgHiJkL".repeat(3)} `,
  BEGIN,
  `${BEGIN}\n`,
  `${BEGIN}\n${LINE}\n-----END `,
  `${BEGIN}${"\n +".repeat(6)}a: `,
  `""\\n++a: ${BEGIN}`,
  `" a: b${" ".repeat(85)}${BEGIN}`,
])("text that repeats %j after a BEGIN line is scanned in linear time", async (unit) => {
  const scan = (text: string) => [findSecrets(text), findOpenSecret(text, 0)];

  await expectLinear(scan, (length) => BEGIN + unit.repeat(length / unit.length));
});
