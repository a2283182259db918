/** Types of an API format for generated content: one reader and one writer for requests, responses and streams. */
import type { JsonObject } from "../lib/json/json-object.ts";
import type {
  NeutralError,
  NeutralEvent,
  NeutralMember,
  NeutralRequest,
  NeutralResponse,
} from "./neutral.ts";

/** Format in which clients send requests. */
export interface InboundDialect {
  /** Rejects what cannot be expressed with an AppError that names the member. `stream` is true if the path requests a stream. */
  readRequest: (body: JsonObject, context: { stream: boolean }) => NeutralRequest;
  /** Names of neutral members in this format, for errors of a writer; a missing one is the same. */
  memberNames: Partial<Record<NeutralMember, string>>;
  /** Members of requests that are accepted and dropped, by the object that contains them. */
  dropped: Readonly<Record<string, readonly string[]>>;
  writeResponse: (response: NeutralResponse, reply: ReplyContext) => JsonObject;
  createStreamWriter: (reply: ReplyContext) => StreamWriter;
  writeError: (error: NeutralError) => JsonObject;
}

/** Format in which an upstream is called. */
export interface OutboundDialect {
  /** Returns the path after the version, with a query string if the format needs one. */
  path: (call: { model: string | undefined; stream: boolean }) => string;
  writeRequest: (request: NeutralRequest, target: RequestTarget) => JsonObject;
  readResponse: (body: JsonObject) => NeutralResponse;
  createStreamReader: () => StreamReader;
  /** Framing of streams that are not server-sent events. */
  framing?: { content_type: string; createSplitter: () => EventSource };
  readError: (status: number, body: unknown) => NeutralError;
}

export interface RequestTarget {
  /** Undefined if the URL names the model. */
  model: string | undefined;
  /** Maximum number of output tokens of the model, if the catalog knows it. */
  max_output?: number | undefined;
  /** Model at the upstream, for parameters that depend on it. */
  upstream_model: string;
  /** Throws the 400 that names the client's member. */
  reject: (member: NeutralMember, reason: string) => never;
}

/** Values of a response that the upstream does not determine. */
export interface ReplyContext {
  /** Model that the client requested. */
  model: string;
  /** Unique id without a prefix. */
  id: string;
  /** Unix time in seconds. */
  created: number;
  /** The client's own body, for formats that repeat members of the request. */
  request: JsonObject;
}

/** Splits the bytes of one stream into events. An invalid stream is an AppError `upstream_failed`. */
export interface EventSource {
  /** Returns the events that the chunk completes. */
  push: (chunk: Uint8Array) => TransportEvent[];
  /** Returns the event at the end of the stream, if it is complete; throws if it is not. */
  end: () => TransportEvent[];
}

export interface TransportEvent {
  /** Empty for server-sent events, whose data contains the type. */
  name: string;
  data: string;
}

/** Reads the events of one stream. An invalid or out-of-order event is an AppError `upstream_failed`. */
export interface StreamReader {
  /** `data` may be `[DONE]`. */
  read: (name: string, data: string) => NeutralEvent[];
  /** Returns the last events after the stream has ended; throws if it ended too early. */
  end: () => NeutralEvent[];
}

/** Writes the events of one stream as the text of server-sent events. */
export interface StreamWriter {
  write: (event: NeutralEvent) => string;
}
