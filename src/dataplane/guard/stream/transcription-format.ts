/** Stream of `/v1/audio/transcriptions`: text deltas, and the whole text at the end. */

import { createResponsesFormat } from "./responses-format.ts";
import type { StreamFormat } from "./stream-format.ts";

/** Its events are named like those of responses. A blocked stream ends with an error event, for lack of another end. */
export const createTranscriptionFormat = (): StreamFormat => ({
  ...createResponsesFormat(),
  buildEnding: () => ({ events: [] }),
});
