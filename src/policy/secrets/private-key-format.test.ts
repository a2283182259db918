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

test("a private key of one long line is found completely", () => {
  const key = [BEGIN, LINE.repeat(100), "-----END RSA PRIVATE KEY-----"].join("\n");

  expect(findSecrets(key)).toMatchObject([{ label: "private_key", start: 0, end: key.length }]);
});

test.each([
  ["without headers", []],
  ["with headers", HEADERS],
])("every beginning of a private key %s is open", (_, headers) => {
  const key = [BEGIN, ...headers, LINE, LINE, "-----END RSA PRIVATE KEY-----"].join("\n");

  for (let end = "-----BEGIN ".length; end < key.length; end++) {
    expect([end, findOpenSecret(`x ${key.slice(0, end)}`, 0)]).toEqual([end, 2]);
  }
});

test.each(["\n...\n", ":", `\n${LINE}\n(`, `\n${LINE}\n-----END RSA PRIVATE KEY-----\n`])(
  "a private key is not open after %j",
  (text) => {
    expect(findOpenSecret(BEGIN + text, 0)).toBe(BEGIN.length + text.length);
  },
);

test.each([" a: ", "' a: ", "\na: a:  a: ", `\n${LINE}`, ` + + +${LINE}`, `${BEGIN} a: `])(
  "a private key that is followed by %j is scanned in linear time",
  async (unit) => {
    const scan = (text: string) => [findSecrets(text), findOpenSecret(text, 0)];

    await expectLinear(scan, (length) => `${BEGIN}${unit.repeat(length / 2000)}!`);
  },
);
