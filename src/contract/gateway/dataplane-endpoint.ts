/** Types of the endpoints of the data plane, and the members that several of them share. */
import type { Capability } from "./registries.ts";

export interface DataPlaneEndpoint {
  /** Names the endpoint in events and in the response of explain. */
  name: string;
  /** First segment after `/{consumer}`. */
  version: "v1" | "v1beta";
  /**
   * After the version. A parameter in braces matches one segment, the first is the id of a model or a stored object; a
   * model of `v1beta` may contain slashes.
   */
  path: string;
  /** Undefined: the gateway responds itself, without an upstream. */
  capability: Capability | undefined;
  /** Body of a POST. `none`: the client's body is ignored. */
  body: "json" | "form" | "json_or_form" | "none";
  /** Setting that caps a multipart body. JSON is held in memory, so its cap is the same everywhere. */
  form_cap: "JSON_BODY_MIB" | "MEDIA_BODY_MIB" | "FILES_BODY_MIB";
  /** Error format of a stream that is interrupted. */
  dialect: "reference" | "responses" | "messages" | "generate_content";
  /** Returns the bytes of a file: ranges and the headers that describe them are passed on. */
  download?: true;
  /** The path requests a stream; elsewhere the body does. */
  streams?: true;
  /** The response is one JSON object per line. */
  lines?: true;
  /** The response is an item of the responses format. */
  item?: true;
  /** A POST creates an object that the upstream stores, a GET lists them. */
  creates?: true;
  /** A POST that creates and bills nothing, so it may be sent again after any failure. */
  repeatable?: true;
  operations: Readonly<Partial<Record<DataPlaneMethod, DataPlaneOperation>>>;
}

export type DataPlaneMethod = "GET" | "POST" | "DELETE";

export interface DataPlaneOperation {
  /** operationId in the API description. */
  name: string;
  summary: string;
  /** Example of the JSON body. */
  json?: Record<string, unknown>;
  /** Fields of the multipart body. */
  form?: Record<string, FormField>;
  /** Media types of the response; JSON by default. */
  responses?: readonly string[];
}

export interface FormField {
  example: string;
  /** Only for a file. */
  media_type?: string;
}

export const STREAMED = ["application/json", "text/event-stream"];

export const JSON_ENDPOINT = {
  version: "v1",
  body: "json",
  form_cap: "JSON_BODY_MIB",
  dialect: "reference",
} as const;
