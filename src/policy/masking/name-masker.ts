/** The names that lead to a text, as they may be told and kept: personal data and secrets are masked in them too. */
import { escapePointerStep, unescapePointerStep } from "../../lib/json/parse-strict.ts";
import { createSegment } from "../segment.ts";
import { maskForStorage } from "./mask-for-storage.ts";

/** For one evaluation or finding: names repeat in every row of a table. */
export function createNameMasker() {
  const known = new Map<string, string>();
  const name = (written: string): string => {
    if (PLAIN_NAME.test(written)) return written;
    const text =
      written.length > MAX_NAME_CHARACTERS
        ? `${written.slice(0, MAX_NAME_CHARACTERS).toWellFormed()}…`
        : written;
    const masked =
      known.get(text) ?? maskForStorage(createSegment(text, "user", { pointer: "" }), []);
    known.set(text, masked);
    return masked;
  };
  const step = (escaped: string): string => escapePointerStep(name(unescapePointerStep(escaped)));
  return {
    name,
    pointer: (written: string): string =>
      PLAIN_POINTER.test(written) ? written : written.split("/").map(step).join("/"),
  };
}

/** Nothing that is masked is made of letters alone, or is as short a number as the place in a list. */
const PLAIN_NAME = /^(?:[A-Za-z_]{0,64}|\d{1,6})$/;
const PLAIN_POINTER = /^(?:\/(?:[A-Za-z_]{1,64}|\d{1,6}))*$/;
/** Longer ones are no names. */
const MAX_NAME_CHARACTERS = 512;
