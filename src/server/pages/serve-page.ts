/** Answers a request of a browser with a page: errors are pages too, and a form leads back to where it is. */
import { type App, answering } from "../http/app.ts";
import type { AnswerPath } from "../http/mcp-paths.ts";
import { type RequestIds, renderErrorPage } from "../http/render-error.ts";
import { urlOf } from "../http/url-of.ts";

export type PageRequest = Parameters<AnswerPath>[0];
export interface PageContext {
  ids: RequestIds;
  headers: Record<string, string>;
}

export const answerPage =
  (app: App, work: (request: PageRequest, context: PageContext) => Promise<Response>): AnswerPath =>
  (request) =>
    answering(
      app,
      "mcp",
      request,
      (ids, headers) => work(request, { ids, headers }),
      renderErrorPage,
    );

/** Relative, so that it also leads there behind a proxy with a prefix; `./`, or `http:host` would lead to that host. */
export const here = (request: PageRequest): string =>
  `./${urlOf(request).pathname.split("/").at(-1)}`;

export const leadTo = (location: string, headers: Record<string, string>): Response =>
  new Response(null, { status: 303, headers: { ...headers, location } });
