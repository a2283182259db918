/** Reverse proxy that serves a kit under a path prefix. */

export interface Prefixed extends AsyncDisposable {
  /** With the prefix. */
  url: string;
  /** Requested paths outside of the prefix. */
  strays: string[];
}

export function serveUnder(prefix: string, target: string): Prefixed {
  const strays: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith(`${prefix}/`)) {
        strays.push(pathname);
        return new Response("outside of the prefix", { status: 404 });
      }
      return await fetch(`${target}${pathname.slice(prefix.length)}${search}`, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        redirect: "manual",
        decompress: false,
      });
    },
  });
  return {
    url: `${server.url.origin}${prefix}`,
    strays,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
