/** Calls the admin API of a running node with a token. */
export type AdminClient = ReturnType<typeof adminClient>;

export function adminClient(url: string, token: string, tls: Bun.TLSOptions = {}) {
  /** Sends `body` as JSON, or as it is when it is text. */
  const call = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${url}${path}`, {
      method,
      tls,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  /** Creates a resource and returns it; fails the test on any status but 2xx. */
  const make = async <T = { id: string }>(path: string, body: unknown): Promise<T> => {
    const reply = await call("POST", path, body);
    if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T;
  };
  return { url, call, make };
}
