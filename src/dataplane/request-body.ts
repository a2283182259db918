/** What did the client send along, in the form in which it goes upstream? */
import type { Members } from "../lib/json-members.ts";

export type RequestBody = NoBody | JsonBody | FormBody;

export interface NoBody {
  kind: "none";
}

/** Held in memory, so it can be sent as often as needed. */
export interface JsonBody {
  kind: "json";
  members: Members<string>;
}

/** Goes upstream byte for byte (spec 4.4): the boundary and the length are the client's. */
export interface FormBody {
  kind: "form";
  content_type: string;
  length: number | undefined;
  /** Part of it went out and is kept nowhere: it cannot be sent again. */
  spent: () => boolean;
  stream: () => ReadableStream<Uint8Array<ArrayBuffer>>;
}
