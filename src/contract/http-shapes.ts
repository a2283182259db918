/** Addresses and header names that an administrator writes into the configuration. */
import { z } from "zod";
import { SecretText } from "./shapes.ts";

export const HttpUrl = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine(
    (text) => holdsNone(text, "username", "password", "search", "hash"),
    "must hold no user, password, query or fragment",
  );

/** The same where a query belongs to the address. */
export const HttpUrlWithQuery = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine(
    (text) => holdsNone(text, "username", "password", "hash"),
    "must hold no user, password or fragment",
  );

/** The gateway writes these itself; a second value would smuggle or override them. */
const RESERVED_HEADERS =
  /^(host|content-length|content-type|transfer-encoding|connection|te|upgrade|trailer|keep-alive|expect)$/i;

export const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, "is not a header name")
  .refine((name) => !RESERVED_HEADERS.test(name), "is written by the gateway");

export const SecretHeaders = z
  .record(HeaderName, SecretText)
  .refine((headers) => Object.keys(headers).length <= 32, "holds at most 32 headers")
  .default({})
  .describe("Sent with every call. Values are kept as secrets.");

function holdsNone(text: string, ...parts: ("username" | "password" | "search" | "hash")[]) {
  const url = URL.parse(text);
  return url !== null && parts.every((part) => !url[part]);
}
