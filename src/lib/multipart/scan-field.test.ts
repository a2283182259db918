import { expect, test } from "bun:test";
import { readBoundary } from "./content-type.ts";
import { createFieldScan, type FieldScan } from "./scan-field.ts";

const PART = 'Content-Disposition: form-data; name="model"';
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.bin"';

/** Joins header blocks and contents to a whole body with the boundary `B`. */
function form(...parts: [headers: string, content: string][]): string {
  return `${parts.map(([headers, content]) => `--B\r\n${headers}\r\n\r\n${content}\r\n`).join("")}--B--\r\n`;
}

function scan(body: string, chunkSize = body.length || 1): FieldScan {
  const bytes = Buffer.from(body, "latin1");
  const scanner = createFieldScan("B", { name: "model" });
  for (let at = 0; at < bytes.length; at += chunkSize) {
    scanner.push(bytes.subarray(at, at + chunkSize));
  }
  scanner.end();
  return scanner;
}

test.each([1, 2, 3, 7, 64, 100_000])(
  "the field behind a file is found, in chunks of %i",
  (size) => {
    const file = "\r\n--\r\n--A\r\n-".repeat(50);

    const scanner = scan(form([FILE, file], [PART, "gpt-image-1"], [FILE, file]), size);

    expect(scanner.problem).toBeUndefined();
    expect(scanner.value).toBe("gpt-image-1");
    expect(scanner.closes_at).toBeNumber();
  },
);

test("the value is known as soon as its part ends", () => {
  const scanner = createFieldScan("B", { name: "model" });

  scanner.push(Buffer.from(`--B\r\n${PART}\r\n\r\nearly`));
  expect(scanner.value).toBeUndefined();
  scanner.push(Buffer.from("\r\n--B"));

  expect(scanner.value).toBe("early");
  expect(scanner.closes_at).toBeUndefined();
});

test("a body written by FormData is read", async () => {
  const body = new FormData();
  body.append("file", new Blob([new Uint8Array(5000)]), 'ö "quoted".bin');
  body.append("model", "whisper-1");
  const response = new Response(body);

  const boundary = readBoundary(response.headers.get("content-type")) ?? "";
  const scanner = createFieldScan(boundary, { name: "model" });
  scanner.push(await response.bytes());
  scanner.end();

  expect(scanner).toMatchObject({ value: "whisper-1", problem: undefined });
});

test.each([
  ["an empty value", form([PART, ""]), ""],
  ["no blank line before the next delimiter", `--B\r\n${PART}\r\n\r\n--B--`, ""],
  ["a value with line breaks", form([PART, "a\r\n-\nb"]), "a\r\n-\nb"],
  ["an unquoted name", form(["content-disposition:form-data;name=model", "m"]), "m"],
  ["blank lines at the start", `\r\n\r\n${form([PART, "m"])}`, "m"],
  ["blank lines at the end", `${form([PART, "m"])}\r\n\n`, "m"],
  ["the boundary in the middle of a line", form([PART, "x--B"]), "x--B"],
  ["UTF-8", form([PART, Buffer.from("é").toString("latin1")]), "é"],
  [
    "padding after the boundary",
    form([PART, "m"], [FILE, "x"]).replaceAll("--B\r", "--B \t\r"),
    "m",
  ],
  ["the same value twice", form([PART, "m"], [FILE, ""], [PART, "m"]), "m"],
  ["a missing field", form([FILE, "x"]), undefined],
  ["a body without parts", "--B--", undefined],
])("%s is read", (_, body, value) => {
  const scanner = scan(body);

  expect(scanner.problem).toBeUndefined();
  expect(scanner.value).toBe(value);
});

test.each([
  ["an empty body", "", /ends before/],
  ["a truncated body", form([PART, "m"], [FILE, "xyz"]).slice(0, -8), /ends before/],
  ["another boundary", form([PART, "m"]).replaceAll("--B", "--C"), /precedes its first delimiter/],
  ["a preamble", `hello\r\n${form([PART, "m"])}`, /precedes its first delimiter/],
  ["a delimiter after text", `x${form([PART, "m"], [PART, "m"])}`, /precedes its first delimiter/],
  ["line feeds only", form([PART, "m"]).replaceAll("\r\n", "\n"), /delimiter line/],
  ["a part hidden by a bare line feed", form([FILE, `x\n--B\r\n${PART}`]), /follow CRLF/],
  ["a part hidden by a bare carriage return", form([FILE, `x\r--B\r\n${PART}`]), /follow CRLF/],
  ["a delimiter among headers", `--B\r\nx: y\r\n--B\r\n${PART}\r\n\r\nm\r\n--B--`, /ambiguous/],
  ["text after the boundary", form([PART, "m"]).replace("--B", "--Bx"), /delimiter line/],
  ["the field twice", form([PART, "a"], [FILE, ""], [PART, "b"]), /twice/],
  ["the field as a file", form([`${PART}; filename="m"`, "m"]), /is a file/],
  ["a value too long", form([PART, "m".repeat(4097)]), /longer than 4096/],
  ["a value that is not UTF-8", form([PART, "\xff"]), /not valid UTF-8/],
  ["headers too long", form([`${PART}\r\nx: ${"y".repeat(16_400)}`, "m"]), /longer than 16384/],
  ["headers without end", `--B\r\nx: ${"y".repeat(20_000)}`, /longer than 16384/],
  ["too many parts", form(...Array(1001).fill([FILE, ""])), /more than 1000 parts/],
  ["a part without headers", form(["", "m"]), /ambiguous/],
  ["a part without a name", form(["Content-Disposition: form-data", "m"]), /ambiguous/],
  ["two names", form([`${PART}; name="other"`, "m"]), /ambiguous/],
  ["a name in a second spelling", form([`${FILE}; name*=UTF-8''model`, "m"]), /ambiguous/],
  [
    "a name after an ambiguous quote",
    form([`${FILE.slice(0, -1)}\\"; name="model"`, ""]),
    /ambiguous/,
  ],
  ["a name after a vertical tab", form([`${FILE};\vname="model"`, "m"]), /ambiguous/],
  ["a nested multipart", form([`${FILE}\r\nContent-Type: multipart/mixed`, ""]), /ambiguous/],
  ["a part after the end", `${form([PART, "m"])}${form([PART, "n"])}`, /closing delimiter/],
  ["text after the end", form([PART, "m"]).replace("--B--", "--B--x"), /closing delimiter/],
  ["two dispositions", form([`${FILE}\r\n${PART}`, "m"]), /ambiguous/],
  ["a folded header", form([`${FILE};\r\n name="model"`, "m"]), /ambiguous/],
  ["an encoded part", form([`${PART}\r\nContent-Transfer-Encoding: base64`, "bQ=="]), /ambiguous/],
])("%s is rejected, in one chunk or byte by byte", (_, body, problem) => {
  expect(scan(body).problem).toMatch(problem);
  expect(scan(body, 1).problem).toMatch(problem);
});

test.each([1, 5, 1000])(
  "the bytes of each value and of the end are known, in chunks of %i",
  (size) => {
    const body = form([PART, "mm"], [FILE, "file"], [PART, "mm"]);

    const { ranges, closes_at } = scan(`\r\n${body}`, size);

    const text = `\r\n${body}`;
    expect(ranges.map(({ from, to }) => text.slice(from, to))).toEqual(["mm", "mm"]);
    expect(text.slice(closes_at)).toBe("--B--\r\n");
  },
);

test("a value of exactly the limit is accepted", () => {
  expect(scan(form([PART, "m".repeat(4096)])).value).toHaveLength(4096);
});

test("many spaces in a header are read in linear time", () => {
  const started = performance.now();

  scan(form(...Array(50).fill([`x:${" ".repeat(16_000)}\0`, ""]), [PART, "m"]));
  scan(form([`content-disposition: form-data;${" ".repeat(16_000)}`, ""]));

  expect(performance.now() - started).toBeLessThan(5000);
});

test.each([
  ["multipart/form-data; boundary=abc", "abc"],
  [
    "Multipart/Form-Data;charset=utf-8; Boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
    "----WebKitFormBoundary7MA4YWxkTrZu0gW",
  ],
  ['multipart/form-data; boundary="a b:c"', "a b:c"],
  ["multipart/form-data; boundary=a=b/c;", "a=b/c"],
  [`multipart/form-data; boundary=${"x".repeat(70)}`, "x".repeat(70)],
  [`multipart/form-data; boundary=${"x".repeat(71)}`, undefined],
  ["multipart/form-data", undefined],
  ["multipart/form-data; boundary=", undefined],
  ['multipart/form-data; boundary="a ', undefined],
  ['multipart/form-data; boundary="a "', undefined],
  ["multipart/form-data; boundary=a; boundary=b", undefined],
  ["multipart/form-data; boundary=a b", undefined],
  ["multipart/form-data; boundary=a\u0000b", undefined],
  ["multipart/mixed; boundary=a", undefined],
  ["application/json", undefined],
  [null, undefined],
])("the boundary of %j is %j", (contentType, boundary) => {
  expect(readBoundary(contentType)).toBe(boundary);
});
