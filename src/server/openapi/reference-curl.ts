/** Renders a curl command for an operation, with key and example body. */
import { shellQuote } from "../../lib/text/shell-quote.ts";
import type { OpenApiOperation, Parameter } from "./openapi.ts";
import type { ReferenceEntry } from "./reference-operation.ts";
import type { JsonSchema } from "./schemas.ts";

const ADDRESS = "http://127.0.0.1:8080";

export function toCurlCommand({
  path,
  method,
  operation,
}: Pick<ReferenceEntry, "path" | "method" | "operation">): string {
  const body = bodyOf(operation);
  const implied = body.length > 0 ? "post" : "get";
  const verb = method === implied ? "" : `-X ${method.toUpperCase()} `;
  const keys = operation.security.flatMap((needed) => Object.keys(needed));
  const words = [
    `curl ${verb}${shellQuote(addressOf(path, operation))}`,
    ...keys.flatMap((name) => SECRET_HEADERS[name] ?? []),
    ...body,
    ...outputOf(operation),
  ];
  return words.join(" \\\n  ");
}

/** In double quotes, so that the shell expands the variable. */
const SECRET_HEADERS: Record<string, string> = {
  admin_token: '-H "Authorization: Bearer $TOKEN"',
  principal_token: '-H "Authorization: Bearer $PERSONAL_TOKEN"',
  consumer_key: '-H "X-AG-API-Key: $KEY"',
};

function addressOf(path: string, { parameters }: OpenApiOperation): string {
  const shown = parameters.filter(({ example }) => example !== undefined);
  const value = ({ example }: Parameter) => encodeURIComponent(String(example));
  const filled = shown
    .filter((parameter) => parameter.in === "path")
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, value(parameter)), path);
  const query = shown
    .filter((parameter) => parameter.in === "query")
    .map((parameter) => `${parameter.name}=${value(parameter)}`);
  return `${ADDRESS}${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

function bodyOf({ requestBody }: OpenApiOperation): string[] {
  const json = requestBody?.content["application/json"];
  if (json) {
    const text = JSON.stringify(json.example ?? {}, null, 2).replaceAll("\n", "\n  ");
    return ["-H 'Content-Type: application/json'", `-d ${shellQuote(text)}`];
  }
  const form = requestBody?.content["multipart/form-data"]?.schema.properties ?? {};
  return Object.entries(form).map(
    ([name, schema]) => `-F ${shellQuote(`${name}=${sample(schema)}`)}`,
  );
}

function sample(schema: JsonSchema | boolean): string {
  if (typeof schema === "boolean") return "";
  return `${schema.contentMediaType ? "@" : ""}${schema.examples?.[0]}`;
}

/** Writes binary responses to a file instead of the terminal. */
function outputOf({ responses }: OpenApiOperation): string[] {
  const [type = ""] = Object.keys(responses[200]?.content ?? {});
  if (type.startsWith("audio/")) return ["-o speech.mp3"];
  return type === "application/octet-stream" ? ["-o file"] : [];
}
