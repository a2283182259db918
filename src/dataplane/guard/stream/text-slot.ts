/** Texts of a streamed response, and what of them can be sent. */
import type { TextStream } from "../../../evaluation.ts";
import { createGrowingText, type GrowingText } from "../../../lib/text/growing-text.ts";
import type { CheckedEvent } from "./check-event.ts";

export interface TextSlot {
  /** Undefined for text that is sent as a whole, such as the arguments of a tool call. */
  stream: TextStream | undefined;
  /** Masked text that was sent or may be sent; of a whole text only when it is complete. */
  sent: GrowingText;
  is_closed: boolean;
  /** True if an event with the whole text was sent. */
  is_delivered: boolean;
  /** The last event that contains nothing except texts. The rest of the text is sent like it. */
  carrier: CheckedEvent | undefined;
}

export const createTextSlot = (stream: TextStream | undefined): TextSlot => ({
  stream,
  sent: createGrowingText(),
  is_closed: false,
  is_delivered: false,
  carrier: undefined,
});
