/** Checks the rules for a catalog entry that a schema cannot express. */
import { AppError } from "../contract/errors.ts";
import { type CatalogEntryInput, listPrincipalFields } from "../contract/store/catalog.ts";
import { findFieldError } from "../contract/store/mcp-registries.ts";
import { fillTemplate, listOriginNames, listTemplateNames } from "../lib/http/url-parts.ts";
import { checkUrl } from "../net/check-url.ts";

export function checkCatalogEntry({
  url,
  fields,
  auth,
  status,
  allow_private,
}: CatalogEntryInput): void {
  const fieldError = findFieldError(fields);
  if (fieldError) refuse(fieldError);
  const inPath = new Set(fields.filter((field) => field.in === "path").map(({ key }) => key));
  const names = listTemplateNames(url);
  const unknown = names.find((name) => !inPath.has(name));
  if (unknown !== undefined) refuse(`url: {${unknown}} must be a field with "in": "path"`);
  const unused = [...inPath].find((key) => !names.includes(key));
  if (unused !== undefined) refuse(`fields: {${unused}} is not in the url`);
  const principalKeys = new Set(listPrincipalFields({ fields }).map(({ key }) => key));
  const host = listOriginNames(url).find((name) => principalKeys.has(name));
  // Otherwise each principal could choose the host.
  if (host !== undefined)
    refuse(`fields: the scope of {${host}} must be admin, because it is part of the host`);
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
    refuse("auth: must not be unknown if status is shown");
  }
}

function refuse(message: string): never {
  throw new AppError("validation_failed", message);
}
