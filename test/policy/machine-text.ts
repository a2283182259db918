/** Seeded generators of text that programs write, without personal data: log lines and tables of identifiers. */
import type { Random } from "../kit/random.ts";

type Write = (random: Random, row: number) => string;

const digits = (random: Random, length: number) =>
  Array.from({ length }, () => random.below(10)).join("");
const hex = (random: Random, length: number) =>
  Array.from({ length }, () => random.pick([..."0123456789abcdef"])).join("");
const letters = (random: Random, length: number) =>
  Array.from({ length }, () => random.pick([..."ABCDEFGHJKLMNPQRSTUVWXYZ"])).join("");
const padded = (value: number, length: number) => String(value).padStart(length, "0");

const uuid = (random: Random) =>
  `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-${random.pick([..."89ab"])}${hex(random, 3)}-${hex(random, 12)}`;
const milliseconds = (random: Random) => 1_700_000_000_000 + random.below(90_000_000) * 1000;
const microseconds = (random: Random) => `${milliseconds(random)}${digits(random, 3)}`;
const day = (random: Random) =>
  `2024-${padded(1 + random.below(12), 2)}-${padded(1 + random.below(28), 2)}`;
const time = (random: Random) =>
  [24, 60, 60].map((limit) => padded(random.below(limit), 2)).join(":");
const precise = (random: Random) => `${time(random)}.${digits(random, 6)}`;
const address = (random: Random) =>
  Array.from({ length: 4 }, () => 1 + random.below(254)).join(".");
const snowflake = (random: Random) => `1${digits(random, 17 + random.below(2))}`;

/** Formats of log lines. */
const LOGS: readonly Write[] = [
  (random) =>
    `${address(random)} - - [16/Nov/2024:${time(random)} +0000] "GET /v1/orders/${digits(random, 16)}/items?page=${random.below(90)}&cursor=${digits(random, 13)} HTTP/1.1" 200 ${random.below(90_000)} "-" "Mozilla/5.0 (X11; Linux x86_64; rv:${100 + random.below(30)}.0) Gecko/20100101"`,
  (random) =>
    `${day(random)}T${precise(random)}Z INFO [worker-${random.below(64)}] order ${digits(random, 16)} shipped in ${random.below(900)} ms, batch ${digits(random, 9)}`,
  (random) =>
    `${day(random)} ${precise(random)} DEBUG processed ${digits(random, 15)} records=${digits(random, 6)} offset=${digits(random, 12)}`,
  (random) =>
    JSON.stringify({
      ts: Number(microseconds(random)),
      level: random.pick(["info", "warn", "error"]),
      trace_id: hex(random, 32),
      span_id: hex(random, 16),
      request_id: uuid(random),
      user_id: Number(digits(random, 15)),
      session: digits(random, 16),
      msg: `call finished, contact point ${random.below(9)} closed`,
      duration_ms: random.below(9000),
    }),
  (random) =>
    `Nov ${1 + random.below(28)} ${time(random)} host-${random.below(99)} kernel: [${digits(random, 7)}.${digits(random, 6)}] usb 1-${random.below(9)}: device number ${random.below(99)}, serial ${digits(random, 12)}`,
  (random) =>
    `I1116 ${precise(random)} ${padded(random.below(99_999), 7)} server.go:${random.below(900)}] traceparent=00-${hex(random, 32)}-${hex(random, 16)}-01 account_id=${digits(random, 12)}`,
  (random) =>
    `${microseconds(random)} ${digits(random, 16)} ${digits(random, 16)} card_reader_poll rc=0 seq=${digits(random, 8)}`,
  (random) =>
    `[${day(random)} ${time(random)},${digits(random, 3)}] pid ${random.below(32_768)} call ${uuid(random)} took ${random.below(99)}.${digits(random, 6)} s (mobile client ${random.below(20)}.${random.below(20)}.${random.below(9999)})`,
  (random) =>
    `${Math.floor(milliseconds(random) / 1000)}.${digits(random, 6)} accept fd=${random.below(1024)} peer=${address(random)}:${1024 + random.below(60_000)} id=${snowflake(random)}`,
  (random) =>
    `UPDATE parts SET part_no = '${digits(random, 3)}-${digits(random, 3)}-${digits(random, 4)}', sku = '${padded(random.below(9999), 4)}-${digits(random, 6)}' WHERE id = ${digits(random, 10)}; -- part no. ${digits(random, 3)}-${digits(random, 4)}-${digits(random, 4)}`,
  (random) =>
    `#${random.below(40)} 0x${hex(random, 16)} in handle_call (id=${digits(random, 10)}, ts=${day(random).replaceAll("-", "")}${time(random).replaceAll(":", "")}.${digits(random, 6)}) at call.c:${random.below(900)}`,
  (random) =>
    `commit ${hex(random, 40)} ${Math.floor(milliseconds(random) / 1000)} +0${random.below(9)}00; blob ${digits(random, 14)}; build 20240${1 + random.below(9)}${10 + random.below(18)}.${digits(random, 6)}`,
];

/** Columns of identifiers, by their name. */
const COLUMNS: Readonly<Record<string, Write>> = {
  order_id: (random) => digits(random, 16),
  id: (_, row) => String(4_539_148_803_430_000 + row),
  payment_id: (random) => `4${digits(random, 15)}`,
  transaction: (random) => `5${1 + random.below(5)}${digits(random, 14)}`,
  object_id: (random) => digits(random, 13 + random.below(7)),
  customer: (random) => digits(random, 10),
  tracking: (random) => `1Z${letters(random, 3)}${digits(random, 13)}`,
  parcel: (random) => digits(random, 14),
  barcode: (random) => `40${digits(random, 11)}`,
  uuid: (random) => uuid(random),
  tweet: (random) => snowflake(random),
  created_us: (random) => microseconds(random),
  created: (random) => `${day(random)} ${precise(random)}`,
  epoch: (random) => `${Math.floor(milliseconds(random) / 1000)}.${digits(random, 6)}`,
  part: (random) => `${digits(random, 3)}-${digits(random, 3)}-${digits(random, 4)}`,
  part_number: (random) => `0${digits(random, 3)}-${digits(random, 6)}`,
  sku: (random) => `${letters(random, 2)}-${digits(random, 4)}-${digits(random, 3)}`,
  serial: (random) => `${letters(random, 2)}${digits(random, 8)}`,
  invoice: (random) => `${digits(random, 8)}${letters(random, 1)}`,
  lot: (random) => `${letters(random, 1)}${digits(random, 8)}`,
  hash: (random) => hex(random, 40),
  token_id: (random) => hex(random, 12),
  isbn: (random) => `978${digits(random, 10)}`,
  batch: (random) => digits(random, 9),
  case_number: (random) => `${digits(random, 3)} ${digits(random, 3)} ${digits(random, 4)}`,
  code: (random) => `${letters(random, 4)}${digits(random, 6)}${letters(random, 3)}`,
  position: (random) => `${random.below(90)}.${digits(random, 6)}`,
};

/** Without their name, these could be phone numbers. */
const PHONE_LIKE: ReadonlySet<string> = new Set(["part", "part_number", "case_number"]);

const DELIMITERS = [",", "\t", ";", " | "];

/** Writes lines of random formats up to `length` characters. */
export function writeLogs(random: Random, length: number): string {
  return join(length, (row) => random.pick(LOGS)(random, row));
}

/** Writes tables of random columns, and lists of one column, up to `length` characters. */
export function writeIdTables(random: Random, length: number): string {
  return join(length, () => {
    const hasHeader = random.below(3) > 0;
    const names = Object.keys(COLUMNS).filter((name) => hasHeader || !PHONE_LIKE.has(name));
    const columns = Array.from({ length: 1 + random.below(6) }, () => random.pick(names));
    const delimiter = random.pick(DELIMITERS);
    const rows = Array.from({ length: 20 + random.below(200) }, (_, row) =>
      columns.map((name) => COLUMNS[name]?.(random, row)).join(delimiter),
    );
    return `${(hasHeader ? [columns.join(delimiter), ...rows] : rows).join("\n")}\n`;
  });
}

function join(length: number, write: (row: number) => string): string {
  const lines: string[] = [];
  for (let row = 0, written = 0; written < length; row++) {
    const line = write(row);
    lines.push(line);
    written += line.length + 1;
  }
  return lines.join("\n");
}
