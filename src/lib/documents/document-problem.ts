/** Why a document cannot be read. Nobody may take such a document for an empty one. */

const NAME = "DocumentProblem";

/** `reason` is shown to people: it must not quote the document. */
export const documentProblem = (reason: string): Error =>
  Object.assign(new Error(reason), { name: NAME });

export const isDocumentProblem = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && thrown.name === NAME;
