/** Reads a backup file line by line and rejects a damaged, truncated or newer one. */
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { migrations } from "../migrations/all.ts";
import { BACKUP_FORMAT, BACKUP_VERSION } from "./backup.ts";

const Header = z.object({
  format: z.literal(BACKUP_FORMAT),
  version: z.literal(BACKUP_VERSION),
  schema: z.string(),
  created_at: z.string(),
});
const RowLine = z.strictObject({
  table: z.string(),
  row: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
const EndLine = z.strictObject({ end: z.literal(true), rows: z.int() });
export type RowLine = z.infer<typeof RowLine>;

export interface BackupLines {
  header: () => Promise<z.infer<typeof Header>>;
  rows: () => AsyncGenerator<RowLine>;
}

export async function readBackup<T>(
  file: string,
  use: (backup: BackupLines) => Promise<T>,
): Promise<T> {
  const outcomes: T[] = [];
  try {
    await pipeline(
      createReadStream(file),
      createGunzip(),
      splitLines,
      async (lines: AsyncIterable<string>) => {
        outcomes.push(await use(openLines(file, lines)));
      },
    );
  } catch (thrown) {
    throw asReadError(file, thrown);
  }
  const [outcome] = outcomes;
  return outcome as T; // the pipeline succeeded, so `use` has returned
}

function openLines(file: string, source: AsyncIterable<string>): BackupLines {
  const lines = source[Symbol.asyncIterator]();
  const damaged = (why: string) => new AppError("validation_failed", `${file}: ${why}`);
  return {
    async header() {
      const { value } = await lines.next();
      const header = Header.safeParse(parsed(value));
      if (!header.success) throw damaged("is not a backup that this release can read.");
      const { schema } = header.data;
      if (migrations.some(({ id }) => id === schema)) return header.data;
      throw damaged(
        `was created by a newer release (migration "${schema}"). Restore it with that release.`,
      );
    },
    async *rows() {
      for (let count = 0; ; count += 1) {
        const { value, done } = await lines.next();
        if (done) throw damaged("is truncated: its last line is missing.");
        const line = parsed(value);
        const end = EndLine.safeParse(line);
        if (end.success && end.data.rows === count && (await lines.next()).done) return;
        const row = RowLine.safeParse(line);
        if (!row.success) throw damaged(`is damaged after row ${count}.`);
        yield row.data;
      }
    },
  };
}

async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest) yield rest;
}

function parsed(line: unknown): unknown {
  try {
    return JSON.parse(String(line));
  } catch {
    return undefined; // Rejected like any other invalid line.
  }
}

function asReadError(file: string, thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !("code" in thrown) || thrown instanceof AppError)
    return thrown;
  const code = String(thrown.code);
  if (code === "Z_BUF_ERROR") {
    return new AppError("validation_failed", `${file}: is truncated.`, { cause: thrown });
  }
  if (code.startsWith("Z_")) {
    return new AppError("validation_failed", `${file}: is not a backup.`, { cause: thrown });
  }
  if (code === "ENOENT") return new AppError("not_found", `${file}: no such file. Check the path.`);
  return thrown;
}
