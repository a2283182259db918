/** Types of a client's body, in the form in which it is sent upstream. */
import type { MemberScan } from "../../lib/json/scan-members.ts";
import type { StreamEdit } from "../../lib/streams/splice-stream.ts";

export type RequestBody = EmptyBody | JsonBody | FormBody;

export interface EmptyBody {
  kind: "none";
}

/** Held in memory, so that every attempt can send it. */
export interface JsonBody {
  kind: "json";
  members: MemberScan<string>;
}

/** Sent upstream byte for byte (spec 4.4), with the client's boundary and length. */
export interface FormBody extends FormBytes {
  kind: "form";
  content_type: string;
  /** Returns whether a part was sent that is not buffered, so that the form cannot be sent again. */
  isConsumed: () => boolean;
  /** Returns the form with another model. Set only if the form has no model, or `auto`, or if the name may be mapped. */
  withModel?: (model: string) => FormBytes;
  /** Returns the form with changed fields. Set only if the form is buffered to its end. */
  withChanges?: (changes: readonly StreamEdit[]) => FormBody;
}

export interface FormBytes {
  length: number | undefined;
  stream: () => ReadableStream<Uint8Array<ArrayBuffer>>;
}
