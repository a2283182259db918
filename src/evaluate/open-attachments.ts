/** Reads the texts of attachments and of documents in a body. Bytes live only as long as the evaluation. */
import { AppError } from "../contract/errors.ts";
import type { Uninspected } from "../contract/evaluate.ts";
import type { ReadingBudget } from "../lib/documents/reading-budget.ts";
import type { InspectionContext } from "../policy/detector.ts";
import { decodeMemberBytes } from "../policy/payload/decode-member.ts";
import type { Attachment, Payload } from "../policy/payload/payload.ts";
import { createSegment, type Segment } from "../policy/segment.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

export interface ReadAttachments {
  segments: Segment[];
  attachments: InspectionContext["attachments"][number][];
  uninspected: Uninspected[];
}

const MAX_ATTACHMENTS = 20;

export async function readAttachments(
  host: EvaluationHost,
  { attachments, documents }: Pick<Payload, "attachments" | "documents">,
): Promise<ReadAttachments> {
  if (attachments.length > MAX_ATTACHMENTS) {
    const text = `payload.attachments: at most ${MAX_ATTACHMENTS} are taken at once.`;
    throw new AppError("invalid_request", text);
  }
  const given = [...attachments, ...documents];
  // Fetched together, read one after the other: documents share one budget, and little memory.
  const fetched = given.slice(0, MAX_ATTACHMENTS).map((each) => bytesOf(host, each));
  const out: ReadAttachments = { segments: [], attachments: [], uninspected: [] };
  // Loaded with the first attachment: most programs never see one, and a start must not wait for it.
  const { createReadingBudget } = await import("../lib/documents/reading-budget.ts");
  const budget = createReadingBudget();
  for (const [index, { pointer, filename }] of given.entries()) {
    const file = fetched[index];
    const { text, problems } = file ? await readFile(file, budget) : ONE_TOO_MANY;
    if (text !== "") out.segments.push(createSegment(text, "attachment", { pointer }));
    const [problem] = problems.filter(({ reason }) => !(text !== "" && IN_PASSING.has(reason)));
    out.attachments.push({ pointer, filename, problem: problem?.detail ?? null });
    out.uninspected.push(...problems.map((each) => ({ pointer, ...each })));
  }
  return out;
}

interface ReadFile {
  text: string;
  problems: Problem[];
}

type Problem = Required<Pick<Uninspected, "reason" | "detail">>;

/** A document that says something may have pictures in it. */
const IN_PASSING: ReadonlySet<Uninspected["reason"]> = new Set(["media", "binary"]);

/** A long conversation may carry many: it goes on, and the rest is reported. */
const ONE_TOO_MANY: ReadFile = {
  text: "",
  problems: [{ reason: "too_many", detail: `only the first ${MAX_ATTACHMENTS} are read` }],
};

async function readFile(
  file: ReturnType<typeof bytesOf>,
  budget: ReadingBudget,
): Promise<ReadFile> {
  const { bytes, content_type, problem } = await file;
  if (problem !== null) return unreadable("unreadable", problem);
  const { readDocumentText } = await import("../lib/documents/read-document-text.ts");
  const read = await readDocumentText(bytes, { content_type }, budget);
  if (!read.ok) return unreadable(read.problem, read.reason);
  const problems: Problem[] = read.unread.map((each) => ({
    reason: each.problem,
    detail: each.reason,
  }));
  if (read.truncated) problems.push(TRUNCATED);
  return { text: read.text, problems };
}

const TRUNCATED: Problem = { reason: "truncated", detail: "only its beginning was read" };
const unreadable = (reason: Uninspected["reason"], detail: string): ReadFile => ({
  text: "",
  problems: [{ reason, detail }],
});

/** Never rejects: what cannot be fetched is reported as not inspected. */
async function bytesOf(
  host: EvaluationHost,
  { content_type, data, url }: Attachment,
): Promise<{ bytes: Uint8Array; content_type: string | null; problem: string | null }> {
  try {
    if (data === null) {
      const got = await host.fetchAttachment(url ?? "");
      return { bytes: got.bytes, content_type: content_type ?? got.content_type, problem: null };
    }
    const bytes = decodeMemberBytes(data);
    return { bytes, content_type, problem: bytes.length === 0 ? "its data is not base64" : null };
  } catch (thrown) {
    const problem = AppError.from(thrown).message;
    return { bytes: new Uint8Array(), content_type, problem };
  }
}
