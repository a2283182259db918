/** Answers a request of a browser with a page: errors are pages too, and a form leads back to where it is. */

import type { RequestIds } from "../../route.ts";
import type { PathHandler } from "../http/mcp-paths.ts";
import { parseRequestUrl } from "../http/parse-request-url.ts";
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

/** Relative, so that it also leads there behind a proxy with a prefix; `./`, or `http:host` would lead to that host. */
export const currentPath = (request: PageRequest): string =>
  `./${parseRequestUrl(request).pathname.split("/").at(-1)}`;

export const redirectTo = (location: string, headers: Record<string, string>): Response =>
  new Response(null, { status: 303, headers: { ...headers, location } });
