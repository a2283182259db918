/** What is read instead of called: the console, the OpenAPI document and the reference page. */
import { type AnyRoute, SECURITY_HEADERS } from "../http/serve-request.ts";
import { buildOpenApi } from "../openapi/openapi.ts";
import { referencePage } from "../openapi/reference-page.ts";
import { serveConsole } from "./serve-console.ts";

export function staticPages(routes: readonly AnyRoute[]) {
  const endpoints = routes.map(({ endpoint }) => endpoint);
  // Made when first asked for: a start must not wait for them.
  let [document, page]: [string | undefined, string | undefined] = [undefined, undefined];
  const showConsole = serveConsole();
  return {
    "/console": showConsole,
    "/console/*": showConsole,
    "/openapi.json": () => {
      document ??= JSON.stringify(buildOpenApi(endpoints));
      return new Response(document, {
        headers: { ...SECURITY_HEADERS, "content-type": "application/json" },
      });
    },
    "/docs": () => {
      page ??= referencePage(buildOpenApi(endpoints));
      return new Response(page, {
        headers: {
          ...SECURITY_HEADERS,
          "content-type": "text/html; charset=utf-8",
          "content-security-policy":
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        },
      });
    },
    // Relative, so that it also leads there behind a proxy with a prefix.
    "/": () =>
      new Response(null, { status: 302, headers: { ...SECURITY_HEADERS, location: "console" } }),
  };
}
