/** Reads one page of a list of models, in the format of any provider: they differ in a few member names. */
import { AppError } from "../contract/errors.ts";

export interface ListedModel {
  id: string;
  /** Unix seconds, if the upstream reports it. */
  created: number | undefined;
  display_name: string | undefined;
  /** Date on which the provider shuts it down, if the upstream reports it. */
  retires_on: string | undefined;
}

export interface ModelPage {
  models: ListedModel[];
  /** Parameter that requests the next page, such as `pageToken=…`; undefined on the last page. */
  next: string | undefined;
}

type Members = Record<string, unknown>;

export function readModelPage(page: unknown): ModelPage {
  // Together returns the array alone; OpenAI and most others `data`; Google and Cohere `models`; then Vertex and Bedrock.
  const members = isObject(page) ? page : {};
  const items = Array.isArray(page)
    ? page
    : (members.data ??
      members.models ??
      members.publisherModels ??
      members.modelSummaries ??
      members.inferenceProfileSummaries);
  if (!Array.isArray(items)) {
    throw new AppError("upstream_failed", "The upstream's response is not a list of models.");
  }
  return {
    models: items.flatMap((item) => (isObject(item) && isServed(item) ? readModel(item) : [])),
    next: readNext(members),
  };
}

function readNext({ has_more, last_id, nextPageToken, next_page_token, nextToken }: Members) {
  if (has_more === true && isText(last_id)) return `after_id=${encodeURIComponent(last_id)}`;
  if (isText(nextPageToken)) return `pageToken=${encodeURIComponent(nextPageToken)}`;
  if (isText(next_page_token)) return `page_token=${encodeURIComponent(next_page_token)}`;
  if (isText(nextToken)) return `nextToken=${encodeURIComponent(nextToken)}`;
  return undefined;
}

/** Returns false for a deployment that failed, a model that is turned off, and one that serves none of our endpoints. */
function isServed(item: Members): boolean {
  if (item.object === "deployment" && item.status !== "succeeded") return false;
  if (item.active === false || item.status === "INACTIVE") return false;
  const methods = item.supportedGenerationMethods ?? item.endpoints ?? item.outputModalities;
  return !Array.isArray(methods) || methods.some((method) => SERVED.includes(method));
}

/** Methods of Google, endpoints of Cohere, and the output of Bedrock. */
const SERVED: readonly unknown[] = [
  ...["generateContent", "embedContent"],
  ...["chat", "embed", "rerank"],
  "TEXT",
];

function readModel(item: Members): ListedModel[] {
  const name = [item.id, item.modelId, item.inferenceProfileId, item.name].find(isText);
  if (!isText(name)) return [];
  const id = name.replace(/^models\//, "").replace(/^publishers\/([\w-]+)\/models\//, "$1/");
  if (!ID.test(id)) return [];
  // Members of OpenAI, Anthropic and Mistral.
  const end = item.shutdown_date ?? item.retires_at ?? item.deprecation;
  const titles = [item.display_name, item.displayName, item.modelName, item.inferenceProfileName];
  const title = titles.find(isText) ?? (item.name === name ? undefined : item.name);
  return [
    {
      id,
      created: toSeconds(item.created ?? item.created_at),
      display_name: isText(title) && title.length <= MAX_NAME ? title : undefined,
      retires_on: isText(end) ? /^\d{4}-\d{2}-\d{2}(?=T|$)/.exec(end)?.[0] : undefined,
    },
  ];
}

const MAX_NAME = 256;
/** A name that a client can send: without `*`, which is a pattern, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is rejected
const ID = /^[^*\u0000-\u001f\u007f]{1,256}$/;

/** Reads Unix seconds or an ISO time. */
function toSeconds(value: unknown): number | undefined {
  const seconds = isText(value) ? Date.parse(value) / 1000 : value;
  return typeof seconds === "number" && seconds >= 0 && seconds < MAX_SECONDS
    ? Math.floor(seconds)
    : undefined;
}

/** The year 10000. */
const MAX_SECONDS = 253_402_300_800;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
