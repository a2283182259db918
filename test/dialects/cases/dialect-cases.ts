/** Types of the translation cases of a dialect. Every case is translated from or to every other dialect. */
import type { JsonObject } from "../../../src/lib/json/json-object.ts";

/** Requests of clients: the bodies by the name of the case. */
export type RequestCases = Record<string, JsonObject>;

/** Responses of upstreams, by the name of the case. */
export type ResponseCases = Record<string, ResponseCase>;

export interface ResponseCase {
  /** 200 if undefined. */
  status?: number;
  /** The whole response. Undefined if only its stream matters. */
  body?: unknown;
  /** The same response as a stream: the data of its events. Undefined if it is never streamed. */
  events?: (JsonObject | "[DONE]")[];
}
