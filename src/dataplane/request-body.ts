/** The client's body, in the shape in which it is sent upstream. */
import type { MemberScan } from "../lib/json/scan-members.ts";

export type RequestBody = NoBody | JsonBody | FormBody;

export interface NoBody {
  kind: "none";
}

/** Held in memory, so it can be sent as often as needed. */
export interface JsonBody {
  kind: "json";
  members: MemberScan<string>;
}

/** Sent upstream byte for byte (spec 4.4): the boundary and the length are the client's. */
export interface FormBody extends FormBytes {
  kind: "form";
  content_type: string;
  /** Part of it was sent and is not kept: it cannot be sent again. */
  spent: () => boolean;
  /** The form with a default model; only where the client's names none, or `auto`. */
  withModel?: (model: string) => FormBytes;
}

export interface FormBytes {
  length: number | undefined;
  stream: () => ReadableStream<Uint8Array<ArrayBuffer>>;
}
