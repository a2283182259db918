/** Why a document, or a part of it, cannot be read: it must not pass for an empty one. */

export type ProblemKind = "unreadable" | "media" | "binary" | "over_budget";

export interface DocumentProblem extends Error {
  kind: ProblemKind;
}

const NAME = "DocumentProblem";

/** `reason` is shown to people: it must not quote the document. */
export const documentProblem = (
  reason: string,
  kind: ProblemKind = "unreadable",
): DocumentProblem => Object.assign(new Error(reason), { name: NAME, kind });

export const isDocumentProblem = (thrown: unknown): thrown is DocumentProblem =>
  thrown instanceof Error && thrown.name === NAME;
