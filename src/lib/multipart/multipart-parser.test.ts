import { expect, test } from "bun:test";
import { createMultipartParser } from "./multipart-parser.ts";

const FORM = [
  "",
  "--b",
  'Content-Disposition: form-data; name="model"',
  "",
  "demo",
  "--b",
  'content-disposition: form-data; name="file"; filename="a \\"b\\".txt"',
  "Content-Type: text/plain",
  "",
  "one\r\n--not the end\r\n--\r\n-b",
  "--b",
  'Content-Disposition: form-data; name="empty"',
  "",
  "",
  "--b",
  'Content-Disposition: form-data; name="skipped"',
  "",
  "not read",
  "--b--",
  "",
].join("\r\n");

interface ParsedPart {
  name: string;
  parameters: string;
  content_type: string | undefined;
  content: string;
  ended: boolean;
}

function parse(chunks: readonly string[]) {
  const parts: ParsedPart[] = [];
  const parser = createMultipartParser("b", ({ name, parameters, content_type }, offset) => {
    if (name === "skipped") return undefined;
    expect(FORM.slice(offset - 4, offset)).toBe("\r\n\r\n");
    const part: ParsedPart = { name, parameters, content_type, content: "", ended: false };
    parts.push(part);
    return {
      onContent: (piece) => {
        part.content += piece.toString();
      },
      onEnd: () => {
        part.ended = true;
      },
    };
  });
  for (const chunk of chunks) parser.push(Buffer.from(chunk));
  parser.end();
  return { parts, problem: parser.problem, closes_at: parser.closes_at };
}

const EXPECTED = {
  parts: [
    { name: "model", parameters: "", content_type: undefined, content: "demo", ended: true },
    {
      name: "file",
      parameters: '; filename="a \\"b\\".txt"',
      content_type: "text/plain",
      content: "one\r\n--not the end\r\n--\r\n-b",
      ended: true,
    },
    { name: "empty", parameters: "", content_type: undefined, content: "", ended: true },
  ],
  problem: undefined,
  closes_at: FORM.indexOf("--b--"),
};

test("a body in one chunk is split into its parts", () => {
  expect(parse([FORM])).toEqual(EXPECTED);
});

test("a body is split into the same parts byte by byte", () => {
  expect(parse([...FORM])).toEqual(EXPECTED);
});

test("a body is split into the same parts when it is cut in two anywhere", () => {
  for (let at = 0; at <= FORM.length; at++) {
    expect(parse([FORM.slice(0, at), FORM.slice(at)])).toEqual(EXPECTED);
  }
});

test("a body is split into the same parts when it is cut in three anywhere around a delimiter", () => {
  const from = FORM.indexOf("one\r\n");
  for (let first = from; first < from + 40; first++) {
    for (let second = first; second < from + 40; second++) {
      const cut = [FORM.slice(0, first), FORM.slice(first, second), FORM.slice(second)];
      expect(parse(cut)).toEqual(EXPECTED);
    }
  }
});

test("a body without its closing delimiter is rejected", () => {
  const { problem, closes_at } = parse([FORM.slice(0, FORM.indexOf("--b--"))]);

  expect(problem).toBe("it ends before its closing delimiter");
  expect(closes_at).toBeUndefined();
});

test("a header block that never ends is rejected before it fills the memory", () => {
  const { parts, problem } = parse(["--b\r\n", ...Array(100).fill("x".repeat(1000)), "\r\n\r\n"]);

  expect(parts).toEqual([]);
  expect(problem).toStartWith("the headers of a part are longer than");
});

test("a part that its reader rejects ends the parsing", () => {
  const names: string[] = [];
  const parser = createMultipartParser("b", ({ name }) => {
    names.push(name);
    parser.reject("unwanted");
    return undefined;
  });

  parser.push(Buffer.from(FORM));

  expect(names).toEqual(["model"]);
  expect(parser.problem).toBe("unwanted");
});
