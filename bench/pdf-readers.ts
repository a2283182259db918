/** Compares our PDF reader with unpdf: `bun bench/pdf-readers.ts <folder of unpdf> <PDF>…` (decision 0010). */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { deflateSync } from "node:zlib";
import { readDocumentText } from "../src/lib/documents/read-document-text.ts";

const MAX_MS = 30_000;
const GOLDEN = "test/golden/documents";
const MiB = 1024 * 1024;

type Read = (bytes: Uint8Array) => Promise<string>;

interface Outcome {
  words: string[];
  rejected: string | undefined;
  ms: number;
  peak_mib: number;
}

async function compare(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "pdf-readers-"));
  const golden = readdirSync(GOLDEN).map((name) => join(GOLDEN, name));
  const hostile = Object.entries(HOSTILE).map(([name, make]) => {
    writeFileSync(join(dir, name), make());
    return join(dir, name);
  });
  console.log(`| File | Reader | Words | Found of the other's words | ms | Peak MiB |
|---|---|---|---|---|---|`);
  for (const file of [...golden, ...files, ...hostile]) {
    const [ours, theirs] = [await readApart("ours", file), await readApart("unpdf", file)];
    for (const [reader, own, other] of [
      ["ours", ours, theirs],
      ["unpdf", theirs, ours],
    ] as const) {
      const result = own.rejected ?? `${own.words.length} | ${share(own.words, other.words)}`;
      console.log(`| ${basename(file)} | ${reader} | ${result} | ${own.ms} | ${own.peak_mib} |`);
    }
  }
  rmSync(dir, { recursive: true });
}

/** Reads in a process of its own, so that time and memory are those of one reading. */
async function readApart(reader: string, file: string): Promise<Outcome> {
  const child = Bun.spawn([process.execPath, import.meta.path, "--one", reader, folder, file], {
    stdout: "pipe",
    stderr: "ignore",
    timeout: MAX_MS,
    killSignal: "SIGKILL",
  });
  const line = await new Response(child.stdout).text();
  return line
    ? JSON.parse(line)
    : { words: [], rejected: `killed | `, ms: MAX_MS, peak_mib: Number.NaN };
}

async function readOne(reader: string, folder: string, file: string): Promise<void> {
  const read = reader === "ours" ? readWithOurs : await loadUnpdf(folder);
  const bytes = await Bun.file(file).bytes();
  const began = performance.now();
  const outcome = await read(bytes).then(
    (text) => ({ words: text.match(/[\p{L}\p{N}]+/gu) ?? [] }),
    (thrown: Error) => ({ words: [], rejected: `rejected: ${thrown.message} | ` }),
  );
  const ms = Math.round(performance.now() - began);
  const status = await Bun.file("/proc/self/status").text();
  const peak_mib = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
  console.log(JSON.stringify({ ...outcome, ms, peak_mib }));
}

function share(found: readonly string[], wanted: readonly string[]): string {
  if (wanted.length === 0) return "";
  const left = new Map<string, number>();
  for (const word of found) left.set(word, (left.get(word) ?? 0) + 1);
  const hits = wanted.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  });
  return `${((100 * hits.length) / wanted.length).toFixed(1)} %`;
}

const readWithOurs: Read = async (bytes) => {
  const found = await readDocumentText(bytes, { content_type: null });
  if (!found.ok) throw new Error(found.reason);
  return found.text;
};

async function loadUnpdf(folder: string): Promise<Read> {
  const { extractText } = await import(`${folder}/dist/index.mjs`);
  return async (bytes) => (await extractText(new Uint8Array(bytes), { mergePages: true })).text;
}

/** A PDF of one page with this content, without the table of objects that viewers repair. */
function page(content: Uint8Array, dict = "", more = ""): Uint8Array {
  return Buffer.concat([
    Buffer.from(`%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 500]/Contents 4 0 R>>endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
${more}
4 0 obj<<${dict}/Length ${content.length}>>stream\n`),
    content,
    Buffer.from("\nendstream endobj\ntrailer<</Root 1 0 R>>\n"),
  ]);
}

const text = (operators: string) => Buffer.from(`BT /F 10 Tf ${operators} ET`);
const bomb = (size: number) => deflateSync(Buffer.alloc(size, " "));

const HOSTILE: Record<string, () => Uint8Array> = {
  "bomb of 64 MiB": () => page(bomb(64 * MiB), "/Filter/FlateDecode"),
  "bomb of 1 GiB": () => page(bomb(1024 * MiB), "/Filter/FlateDecode"),
  "bomb in a bomb": () => page(deflateSync(bomb(1024 * MiB)), "/Filter[/FlateDecode/FlateDecode]"),
  "forms in forms": () =>
    page(
      Buffer.from("/X Do"),
      "",
      `6 0 obj<</Subtype/Form/BBox[0 0 9 9]/Length 60>>stream\n${"/X Do ".repeat(10)}\nendstream endobj`,
    ),
  "arrays in arrays": () => page(text("(x) Tj"), "", `7 0 obj ${"[".repeat(1_000_000)}`),
  "2,000,000 unfinished objects": () => page(text("(x) Tj"), "", "1 0 obj(".repeat(2_000_000)),
  "200,000 strings": () => page(text("(word ) Tj ".repeat(200_000))),
  "truncated after half": () => {
    const whole = page(text("(word ) Tj ".repeat(1000)));
    return whole.subarray(0, whole.length / 2);
  },
  "text of an older version": () =>
    Buffer.concat([page(text("(old) Tj")), page(text("(new) Tj")).subarray(9)]),
  "page outside of the tree": () =>
    page(
      text("(visible) Tj"),
      "",
      `7 0 obj<</Type/Page/Parent 2 0 R/Contents 8 0 R>>endobj
8 0 obj<</Length 31>>stream\nBT /F 9 Tf (outside) Tj ET     \nendstream endobj`,
    ),
  "text in an annotation": () =>
    page(
      text("(page) Tj"),
      "",
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 500]/Contents 4 0 R/Annots[<</Subtype/Text/Contents(note)>>]>>endobj",
    ),
};

const [folder = "", ...files] = process.argv.slice(2);
if (folder === "--one") await readOne(files[0] ?? "", files[1] ?? "", files[2] ?? "");
else await compare();
