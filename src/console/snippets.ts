/** Writes a request of the playground as curl, TypeScript or Python, with a placeholder for the key. */
import { curlCommand, shellQuote } from "../../lib/text/shell-quote.ts";
import { ROOT_URL } from "../api.ts";

export const LANGUAGES = { curl: "curl", typescript: "TypeScript", python: "Python" } as const;

export interface SnippetRequest {
  slug: string;
  /** Path after `/{consumer}`. */
  path: string;
  /** JSON body, or the fields of a form, of which `@name` is a file. */
  json?: Record<string, unknown>;
  form?: Record<string, string>;
  /** Call of the OpenAI client library, such as `chat.completions.create`. */
  method: string;
}

/** A placeholder: the token of the playground is not shown. */
const KEY = "YOUR_CONSUMER_KEY";

export function buildSnippet(language: keyof typeof LANGUAGES, request: SnippetRequest): string {
  const base = new URL(`${request.slug}/v1`, ROOT_URL).href;
  if (language === "curl")
    return buildCurl(new URL(`${request.slug}${request.path}`, ROOT_URL).href, request);
  return language === "typescript" ? buildTypeScript(base, request) : buildPython(base, request);
}

function buildCurl(url: string, { json, form }: SnippetRequest): string {
  const key = `X-AG-API-Key: ${KEY}`;
  if (json)
    return curlCommand(url, [key, "Content-Type: application/json"], JSON.stringify(json, null, 2));
  const fields = Object.entries(form ?? {}).map(
    ([name, value]) => `-F ${shellQuote(`${name}=${value}`)}`,
  );
  return [`curl ${shellQuote(url)}`, `-H ${shellQuote(key)}`, ...fields].join(" \\\n  ");
}

function buildTypeScript(base: string, { method, json, form }: SnippetRequest): string {
  const members = json
    ? JSON.stringify(json, null, 2)
    : `{\n${formMembers(
        form,
        (name, file) => `  ${name}: fs.createReadStream(${file}),`,
        (name, value) => `  ${name}: ${value},`,
      )}\n}`;
  return [
    ...(json ? [] : ['import fs from "node:fs";']),
    'import OpenAI from "openai";',
    "",
    `const client = new OpenAI({ baseURL: ${JSON.stringify(base)}, apiKey: ${JSON.stringify(KEY)} });`,
    `const response = await client.${method}(${members});`,
    ...(json?.stream === true
      ? ["for await (const chunk of response) console.log(chunk);"]
      : ["console.log(response);"]),
  ].join("\n");
}

function buildPython(base: string, { method, json, form }: SnippetRequest): string {
  const members = json
    ? Object.entries(json).map(([name, value]) => `    ${name}=${toPython(value)},`)
    : [
        formMembers(
          form,
          (name, file) => `    ${name}=open(${file}, "rb"),`,
          (name, value) => `    ${name}=${value},`,
        ),
      ];
  return [
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url=${JSON.stringify(base)}, api_key=${JSON.stringify(KEY)})`,
    `response = client.${method}(`,
    ...members,
    ")",
    ...(json?.stream === true
      ? ["for chunk in response:", "    print(chunk)"]
      : ["print(response)"]),
  ].join("\n");
}

function formMembers(
  form: Record<string, string> = {},
  toFile: (name: string, file: string) => string,
  toField: (name: string, value: string) => string,
): string {
  return Object.entries(form)
    .map(([name, value]) =>
      value.startsWith("@")
        ? toFile(name, JSON.stringify(value.slice(1)))
        : toField(name, JSON.stringify(value)),
    )
    .join("\n");
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
