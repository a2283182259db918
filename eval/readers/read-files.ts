/** Reads the files of a data folder: JSON, JSON lines, CSV and plain lines, gzip too. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

export type Row = Readonly<Record<string, unknown>>;

async function readText(path: string): Promise<string> {
  if (!path.endsWith(".gz")) return await Bun.file(path).text();
  return gunzipSync(await Bun.file(path).bytes()).toString();
}

export const readJson = async (path: string): Promise<unknown> => JSON.parse(await readText(path));

export const readRows = async (path: string): Promise<Row[]> => (await readJson(path)) as Row[];

export const readLines = async (path: string): Promise<string[]> =>
  (await readText(path)).split(/\r?\n/).filter((line) => line.trim() !== "");

export const readJsonLines = async (path: string): Promise<Row[]> =>
  (await readLines(path)).map((line) => JSON.parse(line) as Row);

/** Returns the paths of the files in `folder` whose names match. */
export const listFiles = (folder: string, name: RegExp): string[] =>
  readdirSync(folder)
    .filter((file) => name.test(file))
    .sort()
    .map((file) => join(folder, file));

/** Reads CSV with a header line and quoted fields (RFC 4180). */
export async function readCsv(path: string): Promise<Record<string, string>[]> {
  const [header = [], ...records] = parseCsv((await readText(path)).replace(/^\uFEFF/, ""));
  return records
    .filter((record) => record.length === header.length)
    .map((record) => Object.fromEntries(header.map((name, at) => [name, record[at] ?? ""])));
}

function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (const [, quoted, plain, separator] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    record.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (separator === ",") continue;
    records.push(record);
    record = [];
  }
  return records;
}

/** Returns a member as text; empty if it is not. */
export const textOf = (row: Row, member: string): string => {
  const value = row[member];
  return typeof value === "string" ? value : "";
};
