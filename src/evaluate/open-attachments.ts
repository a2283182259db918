/** Reads the text of attachments and of documents in a payload. Their bytes are dropped after the evaluation. */
import { AppError } from "../contract/errors.ts";
import type { Uninspected } from "../contract/guard/evaluate.ts";
import { MINOR_PROBLEMS } from "../lib/documents/document-problem.ts";
import type { PagePiece } from "../lib/documents/read-html-text.ts";
import type { ReadingBudget } from "../lib/documents/reading-budget.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { ATTACHMENT_LIMITS } from "../net/fetch-attachment.ts";
import type { CompiledRule } from "../policy/compile-policy.ts";
import { readsDocuments, readsSource } from "../policy/inspect-rule.ts";
import { decodeMemberBytes } from "../policy/payload/decode-member.ts";
import { type Attachment, MAX_ATTACHMENTS, type Payload } from "../policy/payload/payload.ts";
import { createSegment, type EncodedPage, type MarkupPage } from "../policy/segment.ts";
import type { ExtractedEvaluation, OpenedAttachments, OpenedEvaluation } from "./stages.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";
import { HELD_SIZE, passTurn } from "./worker-turn.ts";

export async function openAttachments(
  host: EvaluationHost,
  extracted: ExtractedEvaluation,
): Promise<OpenedEvaluation> {
  const { payload, collector } = extracted;
  // Loaded with the first attachment: most processes never read one, and startup must not wait for it.
  const { createReadingBudget } = await import("../lib/documents/reading-budget.ts");
  const budget = createReadingBudget();
  const opened = findReader(extracted)
    ? await readAttachments(host, payload, budget)
    : listAttachments(payload);
  const other = findNonReader(extracted);
  for (const { pointer, problem } of opened.attachments) {
    if (!other || problem !== null) continue;
    const detail = `"${other.detector.name}" does not read documents; add a rule with a doc_analyzer detector`;
    opened.uninspected.push({ pointer, reason: "not_opened", detail });
  }
  await readPages(payload, opened, budget);
  if (collector.fail_mode === "closed") rejectOverBudget(extracted, opened);
  return Object.assign(extracted, { opened });
}

/** Returns whether a rule of the policy reads an attachment, document or page of the payload. */
export function opensAttachments(extracted: ExtractedEvaluation): boolean {
  const { attachments, documents, pages } = extracted.payload;
  if (attachments.length + documents.length + pages.length === 0) return false;
  return (
    findReader(extracted) !== undefined ||
    rulesOf(extracted).some((rule) => pages.some((page) => readsPage(rule, page)))
  );
}

const readsPage = (rule: CompiledRule, page: MarkupPage): boolean =>
  readsSource(rule, { source: "attachment", isFile: false, page });

const rulesOf = ({ program, direction }: ExtractedEvaluation): readonly CompiledRule[] =>
  program?.rules[direction] ?? [];

const findReader = (extracted: ExtractedEvaluation): CompiledRule | undefined =>
  rulesOf(extracted).find(readsDocuments);

/** Returns a rule that looks for values in messages but not in documents, unless a `doc_analyzer` looks for them there. */
function findNonReader(extracted: ExtractedEvaluation): CompiledRule | undefined {
  const rules = rulesOf(extracted);
  if (rules.some(({ detector }) => detector.kind === "doc_analyzer")) return undefined;
  return rules.find(({ detector }) => VALUE_DETECTORS.has(detector.kind));
}
const VALUE_DETECTORS = new Set(["data_loss_prevention", "secrets", "prompt_moderation"]);

/** Lists the attachments and documents that no rule reads. */
export function skipAttachments(extracted: ExtractedEvaluation): OpenedEvaluation {
  const skipped = extracted as OpenedEvaluation;
  skipped.opened = listAttachments(extracted.payload);
  return skipped;
}

function listAttachments({ attachments, documents }: Payload): OpenedAttachments {
  const uninspected: Uninspected[] = [];
  for (const { pointer } of attachments) uninspected.push({ pointer, reason: "not_opened" });
  for (const { pointer } of documents) uninspected.push({ pointer, reason: "not_opened" });
  return { segments: [], attachments: [], uninspected };
}

/** Rejects documents that were not inspected because they exceed the budget, as a failed detector would be. */
function rejectOverBudget(
  extracted: ExtractedEvaluation,
  { uninspected }: OpenedAttachments,
): void {
  const over = uninspected.find(({ reason }) => reason === "over_budget");
  const reader = findReader(extracted);
  if (!over || !reader) return;
  const { id: detector_id, name: detector_name } = reader.detector;
  const text = `Documents exceed the budget of one evaluation, and this collector is fail-closed: ${over.detail}`;
  const details = { detector_id, detector_name, error: over.detail ?? over.reason };
  throw new AppError("detector_failed", text, { details });
}

async function readAttachments(
  host: EvaluationHost,
  { attachments, documents, uninspected }: Payload,
  budget: ReadingBudget,
): Promise<OpenedAttachments> {
  if (attachments.length > MAX_ATTACHMENTS) {
    const text = `payload.attachments: must have at most ${MAX_ATTACHMENTS} items.`;
    throw new AppError("invalid_request", text);
  }
  const files = [...attachments, ...documents];
  // Read in sequence: documents share one budget, which bounds memory.
  const nextFile = fetchInOrder(host, files.slice(0, MAX_ATTACHMENTS));
  const opened: OpenedAttachments = { segments: [], attachments: [], uninspected: [] };
  let characters = 0;
  for (const [index, { pointer, filename, data }] of files.entries()) {
    const next = nextFile();
    // A document may take seconds to fetch or to read, and other owners wait.
    if (index > 0 || data === null) {
      const fetched = files.slice(index, index + MAX_FETCHED).filter(isFetched);
      const held = characters * HELD_SIZE.character + fetched.length * HELD_SIZE.file;
      await budget.slicer.yield(() => passTurn(host, held, () => next));
    }
    const file = await next;
    const { text, problems } = file ? await readFile(file, budget) : TOO_MANY;
    characters += text.length;
    if (text !== "") opened.segments.push(createSegment(text, "attachment", { pointer }));
    // Providers show the name to the model.
    if (filename !== null) {
      const at = { pointer: `${pointer}/filename` };
      opened.segments.push(createSegment(filename, "attachment", at));
    }
    const [problem] = problems.filter(({ reason }) => !(text !== "" && MINOR_PROBLEMS.has(reason)));
    opened.attachments.push({ pointer, filename, problem: problem?.detail ?? null });
    // The image before a document is listed with its member.
    const isListed = ({ reason }: FileProblem) =>
      uninspected.some((each) => each.pointer === pointer && each.reason === reason);
    for (const each of problems) if (!isListed(each)) opened.uninspected.push({ pointer, ...each });
  }
  return opened;
}

/** Adds the text of pages that their source does not contain. The source is inspected as text. */
async function readPages(
  { pages }: Payload,
  { segments, uninspected }: OpenedAttachments,
  budget: ReadingBudget,
): Promise<void> {
  if (pages.length === 0) return;
  const { readPageText } = await import("../lib/documents/read-document-text.ts");
  const { readJsonPages } = await import("../lib/documents/read-json-pages.ts");
  // No limit on their number: they are part of the body, and share the budget.
  for (const page of pages) {
    const { source, run, isJson } = page;
    const { pointer } = source;
    const read = isJson ? readJsonPages : readPageText;
    const { text, pieces, truncated } = await read((run ?? source).text, budget);
    const at = { pointer, page: { ...page, pieces: run ? pieces.map(locateIn(run)) : pieces } };
    if (text !== "") segments.push(createSegment(text, "attachment", at));
    if (truncated) uninspected.push({ pointer, ...PAGE_TRUNCATED });
  }
}

/** Locates a piece of an encoded page, of which a match in the source has the place. */
const locateIn =
  ({ start: from, end: to }: EncodedPage) =>
  ({ start, end }: PagePiece): PagePiece => ({ start, end, from, to });

interface FileText {
  text: string;
  problems: FileProblem[];
}

type FileProblem = Required<Pick<Uninspected, "reason" | "detail">>;

/** A long conversation may carry many documents: the evaluation continues and reports the rest. */
const TOO_MANY: FileText = {
  text: "",
  problems: [{ reason: "too_many", detail: `only the first ${MAX_ATTACHMENTS} are read` }],
};

async function readFile(
  { bytes, content_type, problem }: FetchedFile,
  budget: ReadingBudget,
): Promise<FileText> {
  if (problem !== null) return unreadable("unreadable", problem);
  const { readDocumentText } = await import("../lib/documents/read-document-text.ts");
  const read = await readDocumentText(bytes, { content_type }, budget);
  if (!read.ok) return unreadable(read.problem, read.reason);
  const problems: FileProblem[] = read.unread.map((each) => ({
    reason: each.problem,
    detail: each.reason,
  }));
  if (read.truncated) problems.push(TRUNCATED);
  return { text: read.text, problems };
}

const TRUNCATED: FileProblem = { reason: "truncated", detail: "only its beginning was read" };
const PAGE_TRUNCATED: FileProblem = {
  reason: "truncated",
  detail: "its source was inspected, but not all of its text without tags",
};
const unreadable = (reason: Uninspected["reason"], detail: string): FileText => ({
  text: "",
  problems: [{ reason, detail }],
});

interface FetchedFile {
  bytes: Uint8Array;
  content_type: string | null;
  problem: string | null;
}

/** Files that are fetched at once, with the one that is read. Each takes up to 20 MiB, here and in the main thread. */
const MAX_FETCHED = 4;
const isFetched = ({ data }: Attachment) => data === null;
/** Time that an evaluation waits for all its files together: that of one, because its worker may wait as well. */
const MAX_WAIT_MS = ATTACHMENT_LIMITS.total_ms;

/** Returns a function that returns the next file; undefined after the last one. */
function fetchInOrder(
  host: EvaluationHost,
  files: readonly Attachment[],
): () => Promise<FetchedFile | undefined> {
  const left = files.values();
  const ahead: Promise<FetchedFile>[] = [];
  let waited = 0;
  const fetchMore = () => {
    const file = left.next().value;
    if (file) ahead.push(fetchBytes(host, file, Math.max(MAX_WAIT_MS - waited, 0)));
  };
  for (let count = 1; count < MAX_FETCHED; count++) fetchMore();
  return async () => {
    // The file before has been read.
    fetchMore();
    const began = elapsedMs();
    const file = await ahead.shift();
    waited += elapsedMs() - began;
    return file;
  };
}

/** Never rejects: an attachment that cannot be fetched is reported as not inspected. */
async function fetchBytes(
  host: EvaluationHost,
  { content_type, data, url }: Attachment,
  total_ms: number,
): Promise<FetchedFile> {
  try {
    if (data === null) {
      const file = await host.fetchAttachment(url ?? "", { total_ms });
      return { bytes: file.bytes, content_type: content_type ?? file.content_type, problem: null };
    }
    const bytes = decodeMemberBytes(data);
    const isDecoded = bytes.length > 0 || data === "";
    return { bytes, content_type, problem: isDecoded ? null : "its data is not base64" };
  } catch (thrown) {
    return { bytes: new Uint8Array(), content_type, problem: AppError.from(thrown).message };
  }
}
