/** Masks personal data and secrets in member names and JSON pointers before they are reported or stored. */
import { escapePointerStep, unescapePointerStep } from "../../lib/json/parse-strict.ts";
import { createSegment } from "../segment.ts";
import { type EncodeMasked, maskForStorage } from "./mask-for-storage.ts";

/** Creates a masker for one evaluation or finding, with a cache: names repeat in every row of a table. */
export function createNameMasker(encode?: EncodeMasked) {
  const cache = new Map<string, string>();
  const name = (original: string): string => {
    if (PLAIN_NAME.test(original)) return original;
    const text =
      original.length > MAX_NAME_CHARACTERS
        ? `${original.slice(0, MAX_NAME_CHARACTERS).toWellFormed()}…`
        : original;
    const masked =
      cache.get(text) ??
      maskForStorage(createSegment(text, "user", { pointer: "" }), [], { encode });
    cache.set(text, masked);
    return masked;
  };
  const step = (escaped: string): string => escapePointerStep(name(unescapePointerStep(escaped)));
  return {
    name,
    pointer: (original: string): string =>
      PLAIN_POINTER.test(original) ? original : original.split("/").map(step).join("/"),
  };
}

/** Letters alone and short list indexes never need a mask. */
const PLAIN_NAME = /^(?:[A-Za-z_]{0,64}|\d{1,6})$/;
const PLAIN_POINTER = /^(?:\/(?:[A-Za-z_]{1,64}|\d{1,6}))*$/;
/** Caps the text that is inspected and stored per name. */
const MAX_NAME_CHARACTERS = 512;
