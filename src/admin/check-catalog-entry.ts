/** What a schema cannot say about a catalog entry. */
import { AppError } from "../contract/errors.ts";
import { findFieldError } from "../contract/mcp-registries.ts";
import { type CatalogEntryInput, listPrincipalFields } from "../contract/store-catalog.ts";
import { fillTemplate, listOriginNames, listTemplateNames } from "../lib/http/url-parts.ts";
import { checkUrl } from "../net/check-url.ts";

export function checkCatalogEntry({
  url,
  fields,
  auth,
  status,
  allow_private,
}: CatalogEntryInput): void {
  const trouble = findFieldError(fields);
  if (trouble) refuse(trouble);
  const inPath = new Set(fields.filter((field) => field.in === "path").map(({ key }) => key));
  const named = listTemplateNames(url);
  const loose = named.find((name) => !inPath.has(name));
  if (loose !== undefined) refuse(`url: {${loose}} is not a field with "in": "path"`);
  const idle = [...inPath].find((key) => !named.includes(key));
  if (idle !== undefined) refuse(`fields: {${idle}} does not stand in the url`);
  const theirs = new Set(listPrincipalFields({ fields }).map(({ key }) => key));
  const host = listOriginNames(url).find((name) => theirs.has(name));
  // What an instance may reach would be each principal's choice.
  if (host !== undefined) refuse(`fields: {${host}} names the host: its scope must be admin`);
  const filled = fillTemplate(url, () => "x");
  const parsed = URL.parse(filled);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.hash) {
    refuse("url: must be an http or https address without user and fragment");
  }
  checkUrl(filled, "url", allow_private);
  if (auth.type === "oauth") {
    const { authorize_url, token_url } = auth;
    if (authorize_url) checkUrl(authorize_url, "auth.authorize_url", allow_private);
    if (token_url) checkUrl(token_url, "auth.token_url", allow_private);
  }
  if (status === "shown" && auth.type === "unknown") {
    refuse("auth: say what the server asks of its callers before you show it");
  }
}

function refuse(message: string): never {
  throw new AppError("validation_failed", message);
}
