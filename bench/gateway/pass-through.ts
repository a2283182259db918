/** The least a gateway on Bun can do: every request goes on as it came, and nothing is looked at. */
for (const pair of process.argv.slice(2)) {
  const [port, upstream] = pair.split("=");
  Bun.serve({
    hostname: "127.0.0.1",
    port: Number(port),
    idleTimeout: 255,
    development: false,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: ({ url, method, headers, body }) =>
      fetch(`http://127.0.0.1:${upstream}${url.slice(url.indexOf("/", 8))}`, {
        method,
        headers,
        body,
        redirect: "manual",
        decompress: false,
      }),
  });
}

export {};
