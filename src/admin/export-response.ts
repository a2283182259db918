/** Streams items as a download, in JSON Lines or CSV. */
import type { Deps } from "../deps.ts";
import type { Actor } from "../route.ts";
import { takeTurnToRead } from "../take-turn.ts";

interface Download<Item> {
  /** Of the file, without its extension. */
  name: string;
  format: "jsonl" | "csv";
  /** Columns of the CSV file. */
  columns: readonly (keyof Item & string)[];
  headers: Record<string, string>;
  /** Administrator who downloads it. */
  actor: Actor;
}

/** Number of lines that are read in one turn of the event loop, as many as a page has. */
const LINES_PER_TURN = 200;

export function exportResponse<Item extends object>(
  deps: Pick<Deps, "turns">,
  items: AsyncGenerator<Item>,
  { name, format, columns, headers, actor }: Download<Item>,
): Response {
  const waitForTurn = () => takeTurnToRead(deps, { owner: actor.id ?? "", client: undefined });
  const lines = format === "csv" ? toCsvLines(items, columns) : toJsonLines(items);
  return new Response(toStream(lines, waitForTurn), {
    headers: {
      ...headers,
      "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/jsonl",
      "content-disposition": `attachment; filename="${name}.${format}"`,
    },
  });
}

async function* toJsonLines(items: AsyncGenerator<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`;
}

async function* toCsvLines<Item extends object>(
  items: AsyncGenerator<Item>,
  columns: readonly (keyof Item & string)[],
): AsyncGenerator<string> {
  yield `${columns.join(",")}\r\n`;
  for await (const item of items) {
    yield `${columns.map((name) => toCsvCell(item[name])).join(",")}\r\n`;
  }
}

function toCsvCell(value: unknown): string {
  const text =
    value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  // Prevents formula injection: spreadsheets run a cell that begins like a formula.
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Reads the next line when the client has received the last one. */
function toStream(
  lines: AsyncGenerator<string>,
  waitForTurn: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      if (sent++ % LINES_PER_TURN === 0) await waitForTurn();
      const { value, done } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
}
