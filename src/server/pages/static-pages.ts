/** Serves the console, the OpenAPI document, the API reference and the documents. */
import { type AnyRoute, SECURITY_HEADERS } from "../http/serve-request.ts";
import { buildOpenApi } from "../openapi/openapi.ts";
import { referencePage } from "../openapi/reference-page.ts";
import { DOCUMENTS, documentPage } from "./document-pages.ts";
import { serveConsole } from "./serve-console.ts";

export function staticPages(routes: readonly AnyRoute[]) {
  const endpoints = routes.map(({ endpoint }) => endpoint);
  // Built on the first request, so that they do not delay the start.
  let [document, page]: [string | undefined, string | undefined] = [undefined, undefined];
  const handleConsole = serveConsole();
  return {
    "/console": handleConsole,
    "/console/*": handleConsole,
    "/openapi.json": () => {
      document ??= JSON.stringify(buildOpenApi(endpoints));
      return new Response(document, {
        headers: { ...SECURITY_HEADERS, "content-type": "application/json" },
      });
    },
    "/docs": () => {
      page ??= referencePage(buildOpenApi(endpoints));
      return servePage(page);
    },
    ...Object.fromEntries(
      Object.entries(DOCUMENTS).map(([path, text]) => [
        `/docs/${path}`,
        () => servePage(documentPage(path, text)),
      ]),
    ),
    // Relative, which is valid behind a proxy with a prefix.
    "/": () =>
      new Response(null, { status: 302, headers: { ...SECURITY_HEADERS, location: "console" } }),
  };
}

const servePage = (page: string): Response =>
  new Response(page, {
    headers: {
      ...SECURITY_HEADERS,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    },
  });
