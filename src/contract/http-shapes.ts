/** Schemas of addresses and header names in the configuration. */
import { z } from "zod";
import { SecretText } from "./shapes.ts";

export const HttpUrl = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine(
    (text) => lacksParts(text, "username", "password", "search", "hash"),
    "must not contain a user, password, query or fragment",
  );

/** The same, with an optional query. */
export const HttpUrlWithQuery = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine(
    (text) => lacksParts(text, "username", "password", "hash"),
    "must not contain a user, password or fragment",
  );

/** Set by the gateway; a second value would allow request smuggling. */
const RESERVED_HEADERS =
  /^(host|content-length|content-type|transfer-encoding|connection|te|upgrade|trailer|keep-alive|expect)$/i;

export const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, "must be a valid header name")
  .refine(
    (name) => !RESERVED_HEADERS.test(name),
    "is a header that the gateway sets itself; choose another one",
  );

export const SecretHeaders = z
  .record(HeaderName, SecretText)
  .refine((headers) => Object.keys(headers).length <= 32, "must have at most 32 headers")
  .default({})
  .describe("Headers sent with every request. Values are stored encrypted and shown masked.");

function lacksParts(text: string, ...parts: ("username" | "password" | "search" | "hash")[]) {
  const url = URL.parse(text);
  return url !== null && parts.every((part) => !url[part]);
}
