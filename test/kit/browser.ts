/** A minimal browser with cookies, forms and redirects. */

export function openBrowser() {
  const jars = new Map<string, Map<string, string>>();

  async function visit(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(cookie ? { cookie } : {}), ...(init.headers as object | undefined) };
    const reply = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const location = reply.headers.get("location");
    return location === null ? reply : await visit(new URL(location, url).href);
  }

  return {
    visit,
    /** As a form on that page would. */
    submit: (url: string, fields: Record<string, string>, origin = new URL(url).origin) =>
      visit(url, {
        method: "POST",
        headers: { origin, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString(),
      }),
  };
}
