/** Writes a request as curl, TypeScript or Python. */
import { curlCommand, curlFile, shellQuote } from "../lib/text/shell-quote.ts";
import { ROOT_URL } from "./api.ts";

export const LANGUAGES = { curl: "curl", typescript: "TypeScript", python: "Python" } as const;
export type Language = keyof typeof LANGUAGES;

export type SnippetRequest = ClientRequest | HttpRequest;

/** Request of a consumer, sent with the OpenAI client library. */
export interface ClientRequest {
  slug: string;
  /** Path after `/{consumer}`. */
  path: string;
  /** JSON body, or the fields of a form with a file. */
  json?: Record<string, unknown>;
  form?: ClientForm;
  /** Call of the OpenAI client library, such as `chat.completions.create`. */
  method: string;
  /** Undefined: a placeholder. */
  key?: string;
}

export interface ClientForm {
  fields: Record<string, string>;
  /** Name of the file in the field `file`. */
  file: string;
}

/** POST of a JSON body, or GET without one. */
export interface HttpRequest {
  url: string;
  headers: Record<string, string>;
  json?: unknown;
}

const PLACEHOLDER = "YOUR_CONSUMER_KEY";

export function buildSnippet(language: Language, request: SnippetRequest): string {
  if ("url" in request) return HTTP[language](request);
  const base = new URL(`${request.slug}/v1`, ROOT_URL).href;
  if (language === "curl")
    return buildCurl(new URL(`${request.slug}${request.path}`, ROOT_URL).href, request);
  return language === "typescript" ? buildTypeScript(base, request) : buildPython(base, request);
}

const HTTP: Record<Language, (request: HttpRequest) => string> = {
  curl: ({ url, headers, json }) => {
    const lines = Object.entries({ ...headers, ...(json ? JSON_TYPE : {}) });
    const body = json === undefined ? undefined : JSON.stringify(json, null, 2);
    return curlCommand(
      url,
      lines.map(([name, value]) => `${name}: ${value}`),
      body,
    );
  },
  typescript: ({ url, headers, json }) => {
    const options = [
      ...(json ? ['  method: "POST",'] : []),
      `  headers: ${JSON.stringify({ ...headers, ...(json ? JSON_TYPE : {}) })},`,
      ...(json ? [`  body: JSON.stringify(${JSON.stringify(json)}),`] : []),
    ];
    return [
      `const response = await fetch(${JSON.stringify(url)}, {`,
      ...options,
      "});",
      "console.log(await response.json());",
    ].join("\n");
  },
  python: ({ url, headers, json }) =>
    [
      "import requests",
      "",
      `response = requests.${json ? "post" : "get"}(`,
      `    ${JSON.stringify(url)},`,
      `    headers=${toPython(headers)},`,
      ...(json ? [`    json=${toPython(json)},`] : []),
      ")",
      "print(response.json())",
    ].join("\n"),
};

const JSON_TYPE = { "Content-Type": "application/json" };

function buildCurl(url: string, { json, form, key: secret = PLACEHOLDER }: ClientRequest): string {
  const key = `X-AG-API-Key: ${secret}`;
  if (json)
    return curlCommand(url, [key, "Content-Type: application/json"], JSON.stringify(json, null, 2));
  // With -F, curl would read a local file if a value begins with `@` or `<`.
  const fields = Object.entries(form?.fields ?? {}).map(
    ([name, value]) => `--form-string ${shellQuote(`${name}=${value}`)}`,
  );
  const file = form ? [curlFile("file", form.file)] : [];
  return [`curl ${shellQuote(url)}`, `-H ${shellQuote(key)}`, ...fields, ...file].join(" \\\n  ");
}

function buildTypeScript(base: string, request: ClientRequest): string {
  const { method, json, form, key = PLACEHOLDER } = request;
  const members = json
    ? JSON.stringify(json, null, 2)
    : `{\n${formMembers(
        form,
        (file) => `  file: fs.createReadStream(${file}),`,
        (name, value) => `  ${name}: ${value},`,
      )}\n}`;
  return [
    ...(json ? [] : ['import fs from "node:fs";']),
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: ${JSON.stringify(base)}, apiKey: ${JSON.stringify(key)} });`,
    `const response = await client.${method}(${members});`,
    ...(json?.stream === true
      ? ["for await (const chunk of response) console.log(chunk);"]
      : ["console.log(response);"]),
  ].join("\n");
}

function buildPython(base: string, request: ClientRequest): string {
  const { method, json, form, key = PLACEHOLDER } = request;
  const members = json
    ? Object.entries(json).map(([name, value]) => `    ${name}=${toPython(value)},`)
    : [
        formMembers(
          form,
          (file) => `    file=open(${file}, "rb"),`,
          (name, value) => `    ${name}=${value},`,
        ),
      ];
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${JSON.stringify(base)}, api_key=${JSON.stringify(key)})`,
    `response = client.${method}(`,
    ...members,
    ")",
    ...(json?.stream === true
      ? ["for chunk in response:", "    print(chunk)"]
      : ["print(response)"]),
  ].join("\n");
}

function formMembers(
  { fields, file }: ClientForm = { fields: {}, file: "" },
  toFile: (file: string) => string,
  toField: (name: string, value: string) => string,
): string {
  const members = Object.entries(fields).map(([name, value]) =>
    toField(name, JSON.stringify(value)),
  );
  return [...members, toFile(JSON.stringify(file))].join("\n");
}

/** Formats a JSON value as a Python literal. */
function toPython(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(toPython).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${toPython(each)}`,
  );
  return `{${members.join(", ")}}`;
}
