/** Starts a demo upstream for one test, with a fixed clock and sequential ids. */
import { startDemoUpstream } from "../../src/demo/demo-upstream.ts";

export interface Demo extends AsyncDisposable {
  url: string;
  get(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
  form(path: string, fields: Record<string, string | File>): Promise<Response>;
  /** Returns the parsed `data:` lines of a stream, with `[DONE]` as a string. */
  events(path: string, body: unknown): Promise<StreamEvent[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: the events of six wires; each test reads the members it proves
export type StreamEvent = any;

export const NOW = new Date("2026-03-04T05:06:07Z");

export function startDemo(): Demo {
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id${ids}`;
  };
  const { url, stop } = startDemoUpstream({ now: () => NOW, newId });
  const headers = { authorization: "Bearer demo" };
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${url}/${path}`, { headers, ...init });
  const post = (path: string, body: unknown) =>
    get(path, { method: "POST", body: JSON.stringify(body) });
  return {
    url,
    get,
    post,
    form: (path, fields) => get(path, { method: "POST", body: formOf(fields) }),
    events: async (path, body) => eventsOf(await (await post(path, body)).text()),
    [Symbol.asyncDispose]: stop,
  };
}

export function formOf(fields: Record<string, string | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

export const eventsOf = (text: string): StreamEvent[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length))
    .map((line) => (line === "[DONE]" ? line : JSON.parse(line)));
