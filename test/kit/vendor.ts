/** A vendor whose MCP server requires OAuth, in the Store of a gateway, and principals who connect accounts there. */
import { startAuthServer, startProtectedServer } from "./auth-server.ts";
import { openBrowser } from "./browser.ts";
import type { Kit } from "./kit.ts";
import { makeMcpStore } from "./mcp-store.ts";

export type Vendor = Awaited<ReturnType<typeof startVendor>>;

/** `own` is the client that the administrator registered with the vendor; left out, the gateway registers itself. */
export async function startVendor(
  kit: Kit,
  own?: { client_id: string; client_secret: string },
  at = (url: string): { url: string; fields?: object[] } => ({ url }),
) {
  const auth = startAuthServer();
  const server = startProtectedServer(auth, { tools: [{ name: "issues" }] });
  const store = await makeMcpStore(kit);
  const { url, fields } = at(server.url);
  const served = await store.serve("Linear", url, {
    auth: { type: "forwarded", ...own },
    entry: { url: server.url, auth: { type: "oauth" } },
    ...(fields ? { options: { fields } } : {}),
  });
  if (own) {
    const redirect_uris = [`${kit.url}/oauth/callback`];
    auth.clients.set(own.client_id, { secret: own.client_secret, redirect_uris });
  }
  const installed = async (principal: string) => {
    const token = await store.token(principal);
    const link = `${kit.url}/me/connect/${await store.install(principal, served.code)}`;
    return { token, link };
  };
  return {
    auth,
    server,
    store,
    ...served,
    installed,
    async connected(principal: string) {
      const { token, link } = await installed(principal);
      const browser = openBrowser();
      await browser.submit(link, { token });
      const page = await browser.submit(link, {});
      if (!page.ok) throw new Error(`It did not connect: ${await page.text()}`);
      return { token, link, browser };
    },
    /** The response to the button that leads to the vendor's sign-in page. */
    async leave(
      principal: string,
      fields: Record<string, string> = {},
      headers: Record<string, string> = {},
      at?: string,
    ) {
      const { token, link } = await installed(principal);
      const post = (body: Record<string, string>, headers: Record<string, string> = {}) =>
        fetch(at ?? link, {
          method: "POST",
          redirect: "manual",
          headers,
          body: new URLSearchParams(body),
        });
      const cookie = (await post({ token })).headers.get("set-cookie")?.split(";")[0] ?? "";
      const reply = await post(fields, { ...headers, cookie });
      return { cookie, reply, away: reply.headers.get("location") ?? "" };
    },
    /** A principal at the vendor who has consented: `back` is where the browser goes next. */
    async atVendor(principal: string) {
      const { cookie, away } = await this.leave(principal);
      const back = (await fetch(away, { redirect: "manual" })).headers.get("location") ?? "";
      return { back, cookie, finish: () => fetch(back, { headers: { cookie } }) };
    },
    async authorizationServer() {
      const reply = await kit.get(`${store.path}/store/authorization-servers`);
      const { items } = (await reply.json()) as { items: AuthorizationServerItem[] };
      return items.find(({ instance_id }) => instance_id === served.id);
    },
    credential: () =>
      kit.db.one<{ version: number; refresh_token: string | null; expires_at: string }>(
        "SELECT * FROM store_credentials WHERE instance_id = $1",
        served.id,
      ),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await auth[Symbol.asyncDispose]();
    },
  };
}

interface AuthorizationServerItem {
  instance_id: string;
  current: Record<string, unknown>;
  advertised: (Record<string, unknown> & { id: string }) | null;
  suspended: boolean;
  accounts: number;
}
