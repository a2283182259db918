/** Stream of `/v1/audio/transcriptions`: text deltas, and the whole text at the end. */
import type { Dialect } from "./dialect.ts";
import { createResponsesDialect } from "./responses-dialect.ts";

/** Its events are named like those of responses. A blocked stream ends with an error event, for lack of another end. */
export const createTranscriptionDialect = (): Dialect => ({
  ...createResponsesDialect(),
  buildEnding: () => ({ events: [] }),
});
