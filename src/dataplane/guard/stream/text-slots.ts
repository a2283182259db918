/** Texts of a streamed response, and what of them can be sent. */
import type { TextStream } from "../../../deps.ts";
import type { CheckedEvent } from "./check-event.ts";

export interface TextSlot {
  /** Undefined for text that is sent as a whole, such as the arguments of a tool call. */
  stream: TextStream | undefined;
  /** Masked text that was sent or may be sent; of a whole text only when it is complete. */
  sent: string;
  is_closed: boolean;
  /** True if an event with the whole text was sent. */
  is_delivered: boolean;
  /** The last event that contains nothing except texts. The rest of the text is sent like it. */
  carrier: CheckedEvent | undefined;
}
