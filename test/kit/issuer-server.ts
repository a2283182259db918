/** A server that issues cloud credentials on loopback: it records each request and responds by script. */
import { startUpstream, type UpstreamResponse } from "./upstream.ts";

export interface IssuerRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  /** Members of a form body. */
  form: Record<string, string>;
  text: string;
}

export function startIssuerServer(respond: (request: IssuerRequest) => UpstreamResponse) {
  const requests: IssuerRequest[] = [];
  const server = startUpstream(({ method, path, query, headers, body }) => {
    const text = body.toString();
    const form = Object.fromEntries(new URLSearchParams(text));
    const request = { method, path, query: new URLSearchParams(query), headers, form, text };
    requests.push(request);
    return respond(request);
  });
  return { ...server, requests };
}
