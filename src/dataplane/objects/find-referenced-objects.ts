/** Finds the ids of stored objects that a JSON body refers to: files, vector stores, responses, conversations and items. */
import { AppError } from "../../contract/errors.ts";
import { isObject } from "../../lib/json/json-object.ts";
import { readNameEnd } from "../../lib/text/fold-name.ts";
import { parseBody } from "../body/parse-body.ts";
import { readPartType } from "../body/read-part-type.ts";
import { collectItemReferences, readMembers } from "./find-item-references.ts";

/** More than any provider accepts in one request. */
const MAX_IDS = 1000;
/** A member with a long name takes up to 8 µs: its name is compared with those of references. */
const MAX_MEMBERS = 50_000;

export function findReferencedObjects(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  // Most bodies contain no such name and are not parsed.
  if (!mayRefer(text) && !(HAS_ITEMS.test(text) && HAS_ID.test(text))) return [];
  const { value } = parseBody(text, { maxMembers: MAX_MEMBERS });
  const ids = new Set<string>();
  const found: References = { ids, internationalCharacters: 0 };
  collectFromBody(value, found);
  if (ids.size <= MAX_IDS) return [...ids];
  throw new AppError("invalid_request", `The body refers to more than ${MAX_IDS} objects.`);
}

interface References {
  ids: Set<string>;
  /** Of all international host names so far. */
  internationalCharacters: number;
}

/** Starts with the members, because a `type` of the body itself exempts nothing. */
function collectFromBody(body: unknown, found: References): void {
  if (!isObject(body)) return;
  for (const [fullName, inner] of Object.entries(body)) {
    const name = readNameEnd(fullName);
    // A conversation is an id, or an object with one.
    if (CONTINUED.test(name)) collect(isObject(inner) ? Object.values(inner) : inner, found, true);
    else collectMember(name, inner, found);
    if (ITEMS.test(name)) collectItemReferences(inner, found.ids);
  }
}

/** Members that LiteLLM merges into the body. */
const MERGED = /^(?:extra_body|litellm_params)$/iu;
const HAS_ITEMS = /"(?:input|items)"\s*:\s*[[{]/iu;
const HAS_ID = /"id"\s*:/iu;
const ITEMS = /^(?:input|items)$/iu;
/** Members of the body itself that continue an earlier response. */
const CONTINUED = /(?:response_?id|conversation(?:_?id)?)$/iu;

/**
 * Patterns of bodies that may refer to objects. Each starts with a rare character, so that long texts are searched in
 * milliseconds: the first one finds the end of a name, then reads the name backward. With the flag `u`, `i` also
 * matches U+017F (long s), like Go's parser. An escape may encode any letter.
 */
const MAY_REFER: readonly RegExp[] = [
  /(?<=[a-z])"(?=\s*:)(?<=((files?|vector_?store|collection|container|library|knowledge(_?base)?)[_-]?ids?|container|audio|files|file_?uri|cached_?content|file_?search_?store(_?names?)?|vertex_?(rag_?store|ai_?search)|response_?id|conversation(_?id)?|uuid|voice(?="\s*:\s*[[{])|(ur[il]|file_?data)(?="\s*:\s*"(?!data:|https?:)))")/iu,
  /"\s*((file|vs|assistant|skill|voice)[-_]\w{16}|(files|cachedContents|fileSearchStores)\\?\/)/iu,
  // A host may follow the long name of a user.
  /:\\?\/\\?\/(?:[^"/]{65}|[^"/]{0,64}[%\\\u0080-\uffff])/,
  /generativelanguage/iu,
  /fileid:/iu,
  /\\u/,
];
const mayRefer = (text: string): boolean => MAY_REFER.some((pattern) => pattern.test(text));
/** Collections are xAI's vector stores, libraries those of Mistral. Gemini's caches and stores of files have no known owner. */
const REFERENCE =
  /((?<!pro)(files?|vector_?store|collection|container|library|knowledge(_?base)?)[_-]?ids?|previous_?response_?id|^cached_?content|^file_?search_?store(_?names?)?)$/iu;
/** Returns whether a field of a form or query string names stored objects. */
export const refersToObject = (name: string): boolean =>
  [REFERENCE, CONTINUED, STORE, FILE_URI, CONTAINER].some((pattern) => pattern.test(name));
/**
 * Ids of OpenAI, Anthropic and Azure, and names of Gemini's caches and stores: references in any member that is not
 * text. Ids of skills and voices contain a digit, unlike names such as `skill_communication`. `files/…` is also a common
 * path, so it is a reference only where an upstream expects an address.
 */
const STORED_ID =
  /^\s*(((file|vs|assistant)[-_]|(skill|voice)_(?=[a-z]*\d))[a-z0-9]{16,}\s*$|(cachedContents|fileSearchStores)\/[\w-]+(?![\w./-]))/iu;
/** Vertex's corpora and search engines have no known owner either. */
const STORE = /^vertex_?(rag_?store|ai_?search)$/iu;
const FILE_URI = /^file_?uri$/iu;
/** A container is named by its id, or by an object with its id; audio of an earlier response, custom voices, and files of Open WebUI, only by an object. */
const CONTAINER = /^container$/iu;
const HAS_ID_MEMBER = /^(container|audio|voice|files)$/iu;
/** Variables of a stored prompt: the client chooses their names, so that none of them exempts a value. */
const VARIABLES = /^variables$/iu;
/** Members of other formats that become a `fileUri`. */
const MEDIA_URL = /(ur[il]|file_?data)$/iu;

/** Members with data of the caller, which an upstream does not interpret. */
const CALLER_DATA = /^(metadata|arguments|input_examples)$/;
/** Text may quote an id or an address, such as a whole message that is one. */
const TEXT =
  /^(text|content|input|output|prompt|instructions|system|description|title|name|filename|query|thinking|reasoning|stdout|stderr|logs|custom_id)$/;
const isText = (name: string, value: unknown): boolean =>
  TEXT.test(name) && (typeof value === "string" || (Array.isArray(value) && value.every(isString)));
const isString = (value: unknown): value is string => typeof value === "string";

/** Collects the ids of text that consists of addresses of files: DashScope replaces it with the files. */
function collectTextFiles(value: unknown, ids: Set<string>): void {
  for (const text of [value].flat()) {
    if (!isString(text) || !TEXT_FILES.test(text)) continue;
    for (const [, id = ""] of text.matchAll(TEXT_FILE)) {
      if (ids.size > MAX_IDS) return;
      ids.add(id);
    }
  }
}
const TEXT_FILES = /^\s*fileid:\/\//i;
const TEXT_FILE = /fileid:\/\/([^\s,]+)/gi;

/** Collects the id in the address of media with a scheme of the upstream's own. Other addresses are those of apps or pages. */
function collectMediaFile(name: string, value: unknown, ids: Set<string>): void {
  if (!MEDIA_PART.test(name)) return;
  for (const address of isObject(value) ? readMembers(value, "url") : [value]) {
    if (isString(address) && OWN_SCHEME.test(address)) ids.add(address.replace(OWN_SCHEME, ""));
  }
}
const MEDIA_PART = /(image|video|audio|file|document)_?url$/iu;
/** Moonshot's `ms://{file_id}`, StepFun's `stepfile://{file_id}`: any scheme but those of public addresses, buckets and local files. */
const OWN_SCHEME = /^\s*(?!(?:https?|wss?|ftp|gs|s3|file):)[a-z][a-z0-9+.-]{0,30}:\/\//i;

/** Returns whether an address is a stored file of Gemini, which also reads public addresses and buckets. */
function isStoredFile(name: string, address: unknown, found: References): boolean {
  const isUri = FILE_URI.test(name);
  if (!isString(address)) return isUri;
  if (!isUri && !MEDIA_URL.test(name)) return false;
  if (DATA_URL.test(address)) return false;
  const host = readHost(address, found);
  return host === undefined ? isUri || isFilePath(address) : isGeminiHost(host);
}

/** Returns whether an address without a host is the path of a file, such as `v1beta/files/abc`. Longer texts are encoded files. */
const isFilePath = (address: string): boolean =>
  FILE_PATH.test(
    address
      .slice(0, MAX_PATH_CHARACTERS)
      .replace(/%([2-7][0-9a-f])/gi, (_, code) => decodeURIComponent(`%${code}`)),
  );
const MAX_PATH_CHARACTERS = 4096;
const FILE_PATH = /(?:^|[\s/\\])files[/\\]/i;

const isStored = (text: string, found: References): boolean =>
  STORED_ID.test(text) ||
  (/generativelanguage/i.test(text) && isGeminiHost(readHost(text, found) ?? ""));

/** A host that is too long to be one counts as Gemini's: parsing a megabyte of it takes a minute. Parsers ignore tabs. */
function readHost(address: string, found: References): string | undefined {
  const [, host = ""] = HOST.exec(address.replace(/[\t\n\r]+/g, "")) ?? [];
  if (host.length > MAX_HOST_CHARACTERS) return GEMINI;
  if (INTERNATIONAL.test(host)) found.internationalCharacters += host.length;
  if (found.internationalCharacters <= MAX_INTERNATIONAL_CHARACTERS)
    return URL.parse(address)?.hostname;
  throw new AppError(
    "invalid_request",
    "The body has too many addresses with international host names. Send fewer.",
  );
}
const MAX_HOST_CHARACTERS = 512;
const HOST = /^[\0- ]*(?:https?|wss?|ftp|file):[\\/]*([^\\/?#]{0,513})/i;
/** Includes Punycode, which is decoded. */
const INTERNATIONAL = /[%\u0080-\uffff]|xn--/i;
/** Parsing takes up to six microseconds for each character. */
const MAX_INTERNATIONAL_CHARACTERS = 16_384;

const GEMINI = "generativelanguage.googleapis.com";
const isGeminiHost = (host: string): boolean =>
  host.includes("generativelanguage.") && /\.googleapis\.com\.?$/.test(host);

const DATA_URL = /^\s*data:/i;

/** Values of Gemini functions are data of the caller. Files in the `parts` of a result are checked. */
const FUNCTION = /^function_?(call|response)$/iu;
const FUNCTION_DATA: ReadonlySet<string> = new Set(["args", "response"]);

/** Collects ids: all strings in `value` if `isReference`, else those that are stored objects by their member or format. */
function collect(value: unknown, found: References, isReference: boolean): void {
  if (typeof value === "string") {
    if (isReference || isStored(value, found)) found.ids.add(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, found, isReference);
  } else if (typeof value === "object" && value !== null) {
    if ("uuid" in value && isString(value.uuid) && isMedia(value)) found.ids.add(value.uuid);
    const type = readPartType(value);
    for (const [name, inner] of Object.entries(value)) {
      if (OUTPUTS.has(type) && isOutput(name, inner, found)) continue;
      if (name === "input" && type.endsWith("tool_use")) continue;
      collectMember(name, inner, found);
    }
  }
}

/** Returns whether a part is an image, audio or video: vLLM replaces it with what is cached under its `uuid`. */
const isMedia = (part: object): boolean =>
  Object.keys(part).some((name) => MEDIA.test(readNameEnd(name))) ||
  ("type" in part && isString(part.type) && MEDIA.test(part.type));
const MEDIA = /image|audio|video|vision|embeds/i;

function collectMember(fullName: string, value: unknown, found: References): void {
  const { ids } = found;
  const name = readNameEnd(fullName);
  if (CALLER_DATA.test(name)) return;
  if (isText(name, value)) {
    collectTextFiles(value, ids);
    return;
  }
  if (MERGED.test(name) && isObject(value)) {
    collectFromBody(value, found);
    return;
  }
  if (STORE.test(name)) ids.add(name);
  collectMediaFile(name, value, ids);
  if (HAS_ID_MEMBER.test(name) || REFERENCE.test(name))
    for (const id of listIds(value)) ids.add(id);
  if (VARIABLES.test(name) && isObject(value)) collect(Object.values(value), found, false);
  else collect(FUNCTION.test(name) ? withoutData(value) : value, found, refers(name, value, found));
}

/** Returns the ids of an object or of a list of objects. Other values of `id` are visited once, as members. */
const listIds = (value: unknown): string[] =>
  [value]
    .flat()
    .filter(isObject)
    .flatMap((each) => readMembers(each, "id"))
    .filter(isString);

const refers = (name: string, value: unknown, found: References): boolean =>
  REFERENCE.test(name) || CONTAINER.test(name) || isStoredFile(name, value, found);

const withoutData = (call: unknown): unknown =>
  isObject(call)
    ? Object.fromEntries(Object.entries(call).filter(([name]) => !FUNCTION_DATA.has(name)))
    : call;

/**
 * Parts of earlier responses that the client sends back, for which an upstream reads no file. Only their own
 * ids are exempt: parts nested in a message with such a type are checked.
 */
const OUTPUTS: ReadonlySet<string> = new Set([
  "file_citation",
  "container_file_citation",
  "file_path",
  "file_search_call",
  "code_execution_output",
  "bash_code_execution_output",
]);
const NESTED_OUTPUTS: ReadonlySet<string> = new Set(["file_path", "results"]);
const isOutput = (name: string, value: unknown, found: References): boolean =>
  isString(value) || NESTED_OUTPUTS.has(name) || refers(name, value, found);
