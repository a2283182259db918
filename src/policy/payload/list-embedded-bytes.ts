/** Lists the files, pages and other bytes that are encoded within the texts of a payload, where no member declares them. */
import {
  areDifferent,
  hasUnknownCharset,
  readCharsets,
} from "../../lib/documents/declared-charsets.ts";
import { containsBinary, readText } from "../../lib/documents/decode-text.ts";
import {
  detectFileKind,
  detectKindFromStart,
  HEAD_BYTES,
  isBlank,
  isCompressed,
  isMedia,
} from "../../lib/documents/file-kind.ts";
import { type MarkupPage, type Segment, toSearchablePath } from "../segment.ts";
import { decodeRun, readUrlCharsets } from "../views/decode-base64-and-hex.ts";
import {
  type EncodedRun,
  findPaddingEnd,
  mayBeList,
  readRunBytes,
  visitRuns,
} from "../views/encoded-runs.ts";
import { isKey } from "../views/is-key.ts";
import { findDecodedPage } from "./find-page.ts";
import { MAX_ATTACHMENTS, MAX_UNINSPECTED, type Payload } from "./payload.ts";

/** Documents and pages are read like those of members. Other bytes, and text whose charset is unknown or unclear, are listed once per text. */
export function listEmbeddedBytes(out: Payload): void {
  const { documents, uninspected } = out;
  const listed = new Set<string>();
  for (const { pointer } of [...documents, ...uninspected]) listed.add(toSearchablePath(pointer));
  // The search path of every long pointer.
  listed.delete("");
  let pageCount = 0;
  for (const segment of out.segments) {
    const { text, pointer, isName } = segment;
    const hasOtherText = hasUnknownUrl(text);
    if (isName || (text.length < MIN_FILE_CHARACTERS && !hasOtherText)) continue;
    const path = toSearchablePath(pointer);
    if (listed.has(path)) continue;
    const reasons = new Set<"media" | "binary" | "encrypted" | "truncated">(
      hasOtherText ? ["binary"] : [],
    );
    const isSealed = SEALED.test(path) && !TOOL_DATA.test(path);
    visitRuns(text, MIN_FILE_CHARACTERS, (run) => {
      const kind = classifyRun(text, run);
      if (kind === "media") reasons.add(kind);
      if (kind === "binary") reasons.add(isSealed ? "encrypted" : kind);
      const page = kind === undefined && mayHavePages(segment) ? findPage(segment, run) : null;
      if (page && ++pageCount > MAX_PAGES) reasons.add("truncated");
      else if (page) out.pages.push(page);
      // One more than are read, so that the rest is reported.
      if (kind === undefined || documents.length > MAX_ATTACHMENTS) return;
      const bytes = readRunBytes(text, run);
      if (!detectFileKind(bytes)) return;
      const data = bytes.toString("base64");
      documents.push({ filename: null, content_type: null, data, url: null, pointer });
    });
    for (const reason of reasons) {
      if (uninspected.length < MAX_UNINSPECTED) uninspected.push({ pointer, reason });
      else out.dropped_values++;
    }
  }
}

/** Detects text that tools write. What a user or a model writes is inspected with its tags. */
const mayHavePages = ({ source, isFile }: Segment): boolean => isFile || source === "tool_result";

function findPage(segment: Segment, run: EncodedRun): MarkupPage | null {
  const text = decodeRun(segment.text, run);
  if (text === undefined) return null;
  const end = findPaddingEnd(segment.text, run);
  return findDecodedPage(segment, { text, start: run.start, end });
}

/** Returns whether a data URL in the text has an unknown charset, or several. */
const hasUnknownUrl = (text: string): boolean =>
  text
    .matchAll(DATA_URL)
    .some(([url]) => hasUnknownCharset(url) || areDifferent(readCharsets(url)));
/** Linear: it matches to the next comma. */
const DATA_URL = /data:[\w.+/-]{0,100}\s{0,9};[^,]*/gi;

/**
 * Members that only their issuer can read: Anthropic's `encrypted_index`, `signature` of a thought, `reasoning_opaque`.
 * LiteLLM appends the signature of a Gemini thought to the id of a tool call.
 */
const SEALED = /(?:[eE]ncrypted\w{0,40}|[sS]ignatures?|_opaque|\/id|_id|Id)(?:\/\d{1,6})?$/;

/**
 * Arguments, results and schemas of tools, variables of prompts, and documents: their authors choose the names of
 * members. A list in `input` has items of the format.
 */
const TOOL_DATA =
  /\/(?:arguments|args|input(?!\/\d)|parameters|json|structuredContent|function_?[rR]esponse\/response|properties|variables|tool_results|documents)\//;

/** Returns undefined for text, and for what is too short or too common to be listed: tokens, keys, certificates. */
function classifyRun(text: string, run: EncodedRun): "document" | "media" | "binary" | undefined {
  const head = readRunBytes(text, run, HEAD_BYTES);
  if (isMedia(head, MIN_SIGNATURE_BYTES)) return "media";
  if (detectKindFromStart(isBlank(head) ? readRunBytes(text, run) : head)) return "document";
  if (isCompressed(head, MIN_SIGNATURE_BYTES)) return "binary";
  const charsets = readUrlCharsets(text, run);
  if (charsets.length > 0 && readText(readRunBytes(text, run), charsets)?.hasBinary)
    return "binary";
  const isShort = run.end - run.start < MIN_UNKNOWN_CHARACTERS;
  if (isShort || isKey(head) || isOrdinaryText(text, run)) return undefined;
  const decoded = decodeRun(text, run);
  return decoded === undefined || containsBinary(decoded) ? "binary" : undefined;
}

/**
 * Detects text in the alphabet of base64 or hex: sequences of DNA, separators, lists of hashes, tokens or paths with one in each
 * line, and numbers of a blockchain.
 */
function isOrdinaryText(text: string, run: EncodedRun): boolean {
  const { start, end, alphabet } = run;
  const sample = text.slice(start, start + MIN_FILE_CHARACTERS);
  if (!/\d/.test(sample) || mayBeList(text, run)) return true;
  if (alphabet === "hex")
    return /\n/.test(text.slice(start, end)) || /0x$/i.test(text.slice(start - 2, start));
  return !/[a-z]/.test(sample) || !/[A-Z]/.test(sample);
}

/** Encoded pages of a payload that are read. Each takes as much memory as another text. */
const MAX_PAGES = 1000;
/** Shorter files contain little text; a known one is recognized by its first bytes. */
const MIN_FILE_CHARACTERS = 80;
const MIN_SIGNATURE_BYTES = 3;
/** Longer than most tokens and signatures. */
const MIN_UNKNOWN_CHARACTERS = 1024;
