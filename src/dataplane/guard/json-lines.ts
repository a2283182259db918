/** Converts JSON lines, or the item of a conversation, to a JSON object and back, so that their format is recognized. */
import { eachItem, eachMember, findValueEnd, skipBlank } from "../../lib/json/source-text.ts";
import { decodeUtf8 } from "../../lib/view-bytes.ts";

export function wrapLines(bytes: Uint8Array): Buffer {
  const text = decodeUtf8(bytes);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Buffer.from(`{"lines":[${lines.join(",")}]}`);
}

export const wrapItem = (bytes: Uint8Array): Buffer =>
  Buffer.from(`{"items":[${decodeUtf8(bytes)}]}`);

/** `text` is the result of `wrapLines` or `wrapItem`, in which strings may be masked. */
export function unwrapLines(text: string): string {
  const lines: string[] = [];
  eachMember(text, skipBlank(text, 0), (_, list) =>
    eachItem(text, list, (_index, item) => {
      const end = findValueEnd(text, item);
      lines.push(`${text.slice(item, end)}\n`);
      return end;
    }),
  );
  return lines.join("");
}
