/** Labels of identifiers: the number after one names a thing (`order 123`, `"sku": 123`) and is not personal data. */
import type { TextSpan } from "../views/source-map.ts";
import { createCellLookup, findTables } from "./find-tables.ts";

const LABELS = new Set(
  (
    "id ids uid gid guid uuid oid sha md crc hash checksum digest etag inode token key order orders ref reference ticket issue trace span request txn transaction trx " +
    "invoice tracking parcel shipment package timestamp ts time epoch created updated seq sequence offset cursor " +
    "position index row batch lot serial sku part parts item product model barcode ean upc gtin isbn issn asin " +
    "session job task build version revision commit object record event case tweet"
  ).split(" "),
);

/** A word, and what may be between it and the value: `order_id": "`, `part no. `, `id_str: `, `serialNumber: `. */
const LAST_WORD =
  /([A-Za-z]{2,12}?)\d{0,3}(?:[ _-]?(?:no|num|number|nr|code|is|us|ms|ns|str|string)\b)?[ \t"'`:=#.([]{0,5}$/i;
const MAX_LABEL = 40;

/** Returns the start of the label at the end of `text`, or -1. */
export function findLastLabel(text: string): number {
  const from = Math.max(0, text.length - MAX_LABEL);
  const found = LAST_WORD.exec(text.slice(from));
  const word = found?.[1]?.replace(/.*[a-z](?=[A-Z])/, "") ?? "";
  if (!found || !LABELS.has(word.toLowerCase())) return -1;
  return from + found.index + (found[1]?.length ?? 0) - word.length;
}

/** Creates a function that returns whether the column at an offset has such a label. Call it with increasing offsets. */
export function createIdentifierColumns(text: string): (at: number) => boolean {
  // Lazy: few values need it.
  let findCell: ReturnType<typeof createCellLookup<TextSpan>> | undefined;
  return (at) => {
    findCell ??= createCellLookup(findTables(text, findLabels(text)));
    return (findCell(at)?.words.length ?? 0) > 0;
  };
}

export const findLabels = (text: string): TextSpan[] =>
  Array.from(text.matchAll(ANY_LABEL), ({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
  }));

const ANY_LABEL = new RegExp(`(?<![A-Za-z])(?:${[...LABELS].join("|")})(?![A-Za-z])`, "gi");
