/** Serves pages for browsers, including error pages and redirects after forms. */

import { parseRequestUrl } from "../../lib/http/parse-request-url.ts";
import type { RequestIds } from "../../route.ts";
import type { PathHandler } from "../http/mcp-paths.ts";
import { renderErrorPage } from "../http/render-error.ts";
import { type App, serveRequest } from "../http/serve-request.ts";

export type PageRequest = Parameters<PathHandler>[0];
export interface PageContext {
  ids: RequestIds;
  headers: Record<string, string>;
}

export const servePage =
  (
    app: App,
    work: (request: PageRequest, context: PageContext) => Promise<Response>,
  ): PathHandler =>
  (request) =>
    serveRequest(
      app,
      "mcp",
      request,
      (ids, headers) => work(request, { ids, headers }),
      renderErrorPage,
    );

/** Returns a relative path, which is valid behind a proxy with a prefix. `./` keeps `http:host` from being a URL. */
export const currentPath = (request: PageRequest): string =>
  `./${parseRequestUrl(request).pathname.split("/").at(-1)}`;

export const redirectTo = (location: string, headers: Record<string, string>): Response =>
  new Response(null, { status: 303, headers: { ...headers, location } });
