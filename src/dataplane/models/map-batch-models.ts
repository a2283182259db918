/** Maps the model of each request in a batch of messages, and preserves all other bytes. */
import {
  applyEdits,
  eachItem,
  eachMember,
  findValueEnd,
  skipBlank,
  type TextEdit,
} from "../../lib/json/source-text.ts";

/** `bytes` is a body that `findBatchModels` accepts. */
export function mapBatchModels(
  bytes: Uint8Array,
  map: (model: string) => string,
): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const edits: TextEdit[] = [];
  /** Visits the member `name` of the object at `at`, and skips the others. */
  const eachNamed = (at: number, name: string, visit: (value: number) => void): number =>
    eachMember(text, at, (each, value) => {
      if (each === name) visit(value);
      return findValueEnd(text, value);
    });
  const mapModel = (from: number) => {
    const to = findValueEnd(text, from);
    const put = JSON.stringify(map(JSON.parse(text.slice(from, to))));
    edits.push({ from, to, put });
  };
  eachNamed(skipBlank(text, 0), "requests", (requests) =>
    eachItem(text, requests, (_, request) =>
      eachNamed(request, "params", (params) => eachNamed(params, "model", mapModel)),
    ),
  );
  return Buffer.from(applyEdits(text, edits));
}
