/**
 * Reads the objects of a PDF by scanning the whole file. The cross-reference table is ignored: it is often
 * damaged, and a forged one could show us another document than viewers show. For the same reason all
 * definitions of an object are read, not only the last.
 */
import { viewBytes } from "../../view-bytes.ts";
import { documentProblem } from "../document-problem.ts";
import { overBudgetError, type ReadingBudget } from "../reading-budget.ts";
import { decodeFilter } from "./decode-filter.ts";
import { createDecrypt, type Decrypt } from "./decryption.ts";
import { type Extent, findOutsideBytes } from "./find-outside-bytes.ts";
import {
  createPdfReader,
  isName,
  isRef,
  type PdfDict,
  type PdfReader,
  type PdfValue,
} from "./value-reader.ts";

export interface PdfStream {
  dict: PdfDict;
  /** Byte range in the file, used when the dictionary has no valid length. */
  start: number;
  end: number;
  number: number;
  generation: number;
}
export type PdfObject = PdfValue | PdfStream;

export interface PdfObjects {
  /** Highest number of definitions of one object. */
  versions: number;
  /** Selects the definition of each object by number; the last one where it has fewer. */
  selectVersion: (version: number) => void;
  all: ReadonlyMap<number, PdfObject>;
  /** Title, author and the like. */
  info: () => PdfDict;
  resolve: (value: PdfObject | undefined) => PdfObject;
  dict: (value: PdfObject | undefined) => PdfDict;
  /** Returns no bytes when a filter is not for text. */
  bytes: (stream: PdfStream) => Promise<Uint8Array>;
  /** Returns the bytes that are not part of the objects. */
  outside: () => Uint8Array[];
}

const MiB = 1024 * 1024;
const MAX_OBJECTS = 300_000;
/** Each takes up to a hundred bytes. */
const MAX_VALUES = 5_000_000;
const MAX_VERSIONS = 8;
export const MAX_INFLATED_STREAM = 32 * MiB;
const MAX_FILTERS = 4;
const MAX_TRAILERS = 50;

export async function readPdfObjects(
  bytes: Uint8Array,
  budget: ReadingBudget,
): Promise<PdfObjects> {
  const { slicer } = budget;
  const file = viewBytes(bytes);
  const all = new Map<number, PdfObject>();
  const definitions: Definition[] = [];
  const byNumber = new Map<number, Definition[]>();
  const trailer: PdfDict = new Map();
  const decoded = new WeakMap<PdfStream, Promise<Uint8Array>>();
  const extents: Extent[] = [];
  let [versions, values] = [1, 0];
  let decrypt: Decrypt | undefined;

  const resolve = (value: PdfObject | undefined): PdfObject => {
    let found = value;
    for (let hops = 0; isRef(found) && hops < 20; hops++) found = all.get(found.ref);
    return found === undefined || isRef(found) ? null : found;
  };
  const dict = (value: PdfObject | undefined): PdfDict => {
    const found = resolve(value);
    if (found instanceof Map) return found;
    return isStream(found) ? found.dict : new Map();
  };

  const streams = await findObjects();
  const ofType = (type: string) => streams.filter((each) => isNamed(each.dict.get("Type"), type));
  findTrailers();
  for (const table of ofType("XRef")) mergeTrailer(table.dict);
  selectVersion(MAX_VERSIONS);
  if (trailer.has("Encrypt")) await openAll();
  for (const pack of ofType("ObjStm")) await unpack(pack);
  // Changes are appended to a file: a later definition is a newer version.
  for (const list of byNumber.values()) list.sort((one, other) => one.at - other.at);
  selectVersion(MAX_VERSIONS);
  const info = () => dict(trailer.get("Info"));
  for (const stream of streams) extents.push({ from: stream.start, to: endOf(stream) });
  const outside = () => findOutsideBytes(file, extents);
  return { versions, selectVersion, all, info, resolve, dict, bytes: bytesOf, outside };

  async function findObjects() {
    const reader = createPdfReader(file);
    const streams: PdfStream[] = [];
    let wasted = 0;
    for (let at = file.indexOf("obj"); at >= 0; at = file.indexOf("obj", reader.at)) {
      if (slicer.isDue()) await slicer.yield();
      reader.at = at + 3;
      const named = numberBefore(file, at);
      if (!named) continue;
      const value = await readNext(reader);
      if (reader.at >= file.length) {
        // The object may be unterminated. The cap on rereading keeps the time linear.
        wasted += file.length - at;
        if (wasted > 8 * file.length) throw documentProblem("The PDF is damaged.");
        reader.at = at + 3;
      }
      const stream = value instanceof Map ? streamAfter(value, reader.at, named) : undefined;
      if (stream) {
        reader.at = stream.end;
        streams.push(stream);
      }
      put({ ...named, value: stream ?? value, at });
      extents.push({ from: named.from, to: reader.at });
    }
    return streams;
  }

  /** Counts the values of objects: those of an object stream may share a long list. */
  async function readNext(reader: PdfReader): Promise<PdfValue> {
    const value = reader.next() ?? null;
    values += reader.items;
    if (values > MAX_VALUES) throw documentProblem(`The PDF has more than ${MAX_VALUES} values.`);
    if (slicer.isDue(reader.items)) await slicer.yield();
    return value;
  }

  function put(definition: Definition) {
    const list = byNumber.get(definition.number) ?? [];
    list.push(definition);
    byNumber.set(definition.number, list);
    definitions.push(definition);
    versions = Math.max(versions, list.length);
    if (versions > MAX_VERSIONS) {
      throw documentProblem(`The PDF defines an object more than ${MAX_VERSIONS} times.`);
    }
    if (definitions.length > MAX_OBJECTS) {
      throw documentProblem(`The PDF has more than ${MAX_OBJECTS} objects.`);
    }
  }

  function selectVersion(version: number) {
    for (const [number, list] of byNumber) {
      const chosen = list[Math.min(version, list.length - 1)];
      if (chosen) all.set(number, chosen.value);
    }
  }

  function streamAfter(dict: PdfDict, at: number, named: ObjectName): PdfStream | undefined {
    const [head] = /^\s{0,9}stream(?:\r\n|\n|\r)?/.exec(file.toString("latin1", at, at + 20)) ?? [];
    if (head === undefined) return undefined;
    const start = at + head.length;
    const length = dict.get("Length");
    if (typeof length === "number" && endsAt(start + length))
      return { dict, start, end: start + length, ...named };
    const end = file.indexOf("endstream", start);
    return { dict, start, end: end < 0 ? file.length : end, ...named };
  }

  function endsAt(at: number): boolean {
    return at <= file.length && /^\s{0,3}endstream/.test(file.toString("latin1", at, at + 12));
  }

  /** Uses the length in another object too, which may be defined later. */
  function endOf({ dict, start, end }: PdfStream): number {
    const length = resolve(dict.get("Length"));
    return typeof length === "number" && endsAt(start + length) ? start + length : end;
  }

  async function unpack(stream: PdfStream) {
    const content = await bytesOf(stream);
    const [count, first] = ["N", "First"].map((key) => resolve(stream.dict.get(key)));
    if (typeof count !== "number" || typeof first !== "number") return;
    const index = createPdfReader(content);
    const reader = createPdfReader(content);
    for (let item = 0; item < count; item++) {
      const [number, offset] = [index.next(), index.next()];
      if (typeof number !== "number" || typeof offset !== "number") return;
      reader.at = first + offset;
      put({ number, generation: 0, value: await readNext(reader), at: stream.start });
    }
  }

  function findTrailers() {
    let at = file.length;
    for (let count = 0; count < MAX_TRAILERS && at > 0; count++) {
      at = file.lastIndexOf("trailer", at - 1);
      if (at < 0) return;
      const reader = createPdfReader(file.subarray(at + 7, at + 4096));
      const found = reader.next();
      if (!(found instanceof Map)) continue;
      mergeTrailer(found);
      extents.push({ from: at, to: at + 7 + reader.at, trailer: found });
    }
  }

  function mergeTrailer(found: PdfDict) {
    for (const key of ["Encrypt", "Info", "ID"]) {
      const value = found.get(key);
      if (value !== undefined && !trailer.has(key)) trailer.set(key, value);
    }
  }

  function bytesOf(stream: PdfStream): Promise<Uint8Array> {
    const known = decoded.get(stream) ?? decode(stream);
    decoded.set(stream, known);
    return known;
  }

  /** Strings in object streams are encrypted with the stream, all others individually. */
  async function openAll() {
    const encrypt = dict(trailer.get("Encrypt"));
    const ids = resolve(trailer.get("ID"));
    const id = Array.isArray(ids) ? resolve(ids[0]) : "";
    const open = createDecrypt(encrypt, typeof id === "string" ? id : "");
    decrypt = open;
    for (const definition of definitions) {
      const { value, number, generation } = definition;
      if (value === encrypt || isStream(value)) continue;
      let cost = 1;
      const plain = (text: string) => {
        cost += COST_OF_DECRYPTION;
        return Buffer.from(open(Buffer.from(text, "latin1"), number, generation)).toString(
          "latin1",
        );
      };
      definition.value = mapStrings(value, plain);
      if (slicer.isDue(cost)) await slicer.yield();
    }
  }

  async function decode(stream: PdfStream): Promise<Uint8Array> {
    const { dict: described, start } = stream;
    let content: Uint8Array = file.subarray(start, endOf(stream));
    if (decrypt) content = decrypt(content, stream.number, stream.generation);
    const list = (...keys: string[]) => {
      const value = resolve(
        keys.map((key) => described.get(key)).find((item) => item !== undefined),
      );
      return Array.isArray(value) ? value : [value];
    };
    const filters = list("Filter", "F").map(resolve).filter(isName);
    const parameters = list("DecodeParms", "DP");
    if (filters.length > MAX_FILTERS) throw documentProblem("The PDF stacks too many filters.");
    for (const [index, { name }] of filters.entries()) {
      const maxBytes = Math.min(budget.bytes, MAX_INFLATED_STREAM);
      if (maxBytes <= 0) throw overBudgetError();
      // Reserved first: bytes that are inflated and discarded cost as much.
      budget.bytes -= maxBytes;
      const undone = await decodeFilter(name, content, dict(parameters[index]), maxBytes);
      budget.bytes += maxBytes - (undone?.length ?? 0);
      if (!undone) return new Uint8Array();
      content = undone;
    }
    return content;
  }
}

/** In steps of the slicer. */
const COST_OF_DECRYPTION = 16;

const isNamed = (value: PdfValue | undefined, name: string): boolean =>
  isName(value) && value.name === name;

export const isStream = (value: PdfObject | undefined): value is PdfStream =>
  typeof value === "object" && value !== null && "dict" in value && "start" in value;

function mapStrings(value: PdfValue, change: (text: string) => string): PdfValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!(value instanceof Map)) return value;
  return new Map([...value].map(([key, item]) => [key, mapStrings(item, change)]));
}

interface ObjectName {
  number: number;
  generation: number;
}

interface Definition extends ObjectName {
  value: PdfObject;
  /** Offset in the file; for an object in an object stream, the offset of the stream. */
  at: number;
}

/** Reads the number before `obj` in `12 0 obj`; undefined for `endobj` and the like. */
function numberBefore(file: Buffer, at: number): (ObjectName & Pick<Extent, "from">) | undefined {
  const before = file.toString("latin1", Math.max(0, at - 24), at);
  const found = /(?<!\d)(\d{1,8})\s{1,4}(\d{1,5})\s{1,4}$/.exec(before);
  if (!found) return undefined;
  const from = at - before.length + found.index;
  return { number: Number(found[1]), generation: Number(found[2]), from };
}
