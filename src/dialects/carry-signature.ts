/** Carries signatures of one API format through clients of another: tagged with the format that made them. */
import { DIALECT_NAMES, type DialectName, type PartSignature } from "./neutral.ts";

/** 15 bytes, so that its base64 form is a prefix of the base64 form of the whole. */
const TAG = "portcullis:sig:";
const ENCODED_TAG = Buffer.from(TAG).toString("base64");
const ID_SEPARATOR = "__sig_";

/** Returns the text for the client's opaque member; a signature of the client's own format stays as it is. */
export const packSignature = ({ dialect, value }: PartSignature, own: DialectName): string =>
  dialect === own ? value : encode({ dialect, value }, "base64");

/** Reverses `packSignature`. */
export function unpackSignature(text: string, own: DialectName): PartSignature {
  return (text.startsWith(ENCODED_TAG) && decode(text)) || { dialect: own, value: text };
}

/** Returns an id of a tool call that contains its signature, for formats whose tool calls have no opaque member. */
export const packCallId = (id: string, signature: PartSignature | undefined): string =>
  signature ? `${id}${ID_SEPARATOR}${encode(signature, "base64url")}` : id;

/** Reverses `packCallId`. The ids of tool results are unpacked too. */
export function unpackCallId(text: string): { id: string; signature?: PartSignature } {
  const at = text.lastIndexOf(ID_SEPARATOR + ENCODED_TAG);
  const signature = at < 0 ? undefined : decode(text.slice(at + ID_SEPARATOR.length));
  return signature ? { id: text.slice(0, at), signature } : { id: text };
}

const encode = ({ dialect, value }: PartSignature, encoding: "base64" | "base64url"): string =>
  Buffer.from(`${TAG}${dialect}:${value}`).toString(encoding);

/** Returns undefined if the text is not from `encode`. Reads both alphabets of base64. */
function decode(text: string): PartSignature | undefined {
  const plain = Buffer.from(text, "base64").toString().slice(TAG.length);
  const colon = plain.indexOf(":");
  const dialect = DIALECT_NAMES.find((name) => name === plain.slice(0, colon));
  return dialect && { dialect, value: plain.slice(colon + 1) };
}
