/** Error for a document, or a part of it, that cannot be read. It must not count as empty. */

export type ProblemKind = "unreadable" | "media" | "binary" | "over_budget";

/** Kinds that are no problem of a document with text, which may contain images. */
export const MINOR_PROBLEMS: ReadonlySet<string> = new Set<ProblemKind>(["media", "binary"]);

export interface DocumentProblem extends Error {
  kind: ProblemKind;
}

const NAME = "DocumentProblem";

/** `reason` is shown to users and must not quote the document. */
export const documentProblem = (
  reason: string,
  kind: ProblemKind = "unreadable",
): DocumentProblem => Object.assign(new Error(reason), { name: NAME, kind });

export const isDocumentProblem = (thrown: unknown): thrown is DocumentProblem =>
  thrown instanceof Error && thrown.name === NAME;
