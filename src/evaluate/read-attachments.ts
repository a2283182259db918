/** Texts of attachments and of documents in a body, for the detectors that read them. Bytes live only as long as the evaluation. */
import { AppError } from "../contract/errors.ts";
import type { Surroundings } from "../policy/detector.ts";
import type { Attachment, Payload } from "../policy/payload/payload.ts";
import { type Segment, segment } from "../policy/segment.ts";
import type { Backing } from "./backing.ts";

export interface ReadAttachments {
  segments: Segment[];
  attachments: Surroundings["attachments"];
}

const MOST_ATTACHMENTS = 20;

export async function readAttachments(
  backing: Backing,
  { attachments, documents }: Pick<Payload, "attachments" | "documents">,
): Promise<ReadAttachments> {
  if (attachments.length > MOST_ATTACHMENTS) {
    const text = `payload.attachments: at most ${MOST_ATTACHMENTS} are taken at once.`;
    throw new AppError("invalid_request", text);
  }
  const given = [...attachments, ...documents];
  const read = await Promise.all(
    given.map((attachment, index) =>
      index < MOST_ATTACHMENTS ? readOne(backing, attachment) : ONE_TOO_MANY,
    ),
  );
  return {
    segments: read.flatMap(({ found }) => found),
    attachments: read.map(({ problem }, index) => ({
      pointer: given[index]?.pointer ?? "",
      filename: given[index]?.filename ?? null,
      problem,
    })),
  };
}

interface ReadOne {
  found: Segment[];
  problem: string | null;
}

/** A long conversation may carry many: it goes on, and it is told that nobody looked into the rest. */
const ONE_TOO_MANY: ReadOne = {
  found: [],
  problem: `only the first ${MOST_ATTACHMENTS} are read`,
};

async function readOne(
  backing: Backing,
  { content_type, data, url, pointer }: Attachment,
): Promise<ReadOne> {
  try {
    const got =
      data === null
        ? await backing.fetchAttachment(url ?? "")
        : { bytes: decoded(data), content_type: null };
    // Loaded with the first attachment: most programs never see one, and a start must not wait for it.
    const { documentText } = await import("../lib/documents/document-text.ts");
    const type = content_type ?? got.content_type;
    const text = await documentText(got.bytes, { content_type: type });
    if (!text.ok) return { found: [], problem: text.reason };
    const problem = text.truncated ? "only its beginning was read" : null;
    return { found: [segment(text.text, "attachment", { pointer })], problem };
  } catch (thrown) {
    // It is told as a finding: what cannot be read is not the same as what is harmless.
    return { found: [], problem: AppError.from(thrown).message };
  }
}

function decoded(data: string): Uint8Array {
  const base64 = data.replace(/^data:[^,]*;base64,/, "");
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length === 0) throw new AppError("invalid_request", "its data is not base64");
  return bytes;
}
