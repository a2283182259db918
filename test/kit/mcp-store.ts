/** A gateway whose Store offers test servers, with principals who can call it. */
import type { AdminClient } from "./admin-client.ts";
import { type ClientKind, connectClient } from "./mcp-client.ts";

/** Tools of a principal without installs. */
export const STORE_TOOLS = ["store_search", "store_install", "store_status", "store_uninstall"];

export type McpStore = Awaited<ReturnType<typeof makeMcpStore>>;

let made = 0;

export async function makeMcpStore(kit: AdminClient, default_level = "install") {
  made += 1;
  const gateway = await kit.make(`/v1/gateways`, {
    name: `Store ${made}`,
    store: { default_level },
  });
  const path = `/v1/gateways/${gateway.id}`;
  const url = `${kit.url}/me/mcp`;
  const tokens = new Map<string, Promise<string>>();

  return {
    gateway,
    path,
    url,
    /** A catalog entry, and an instance of it at `at`. */
    async serve(
      name: string,
      at: string,
      more: { auth?: unknown; options?: object; entry?: object } = {},
    ) {
      const code = `test/${name.toLowerCase().replace(/[^a-z0-9]/g, "-")}`;
      const entry = { code, name, url: at, allow_private: true, auth: { type: "none" } };
      await kit.make(`${path}/store/catalog`, { ...entry, ...more.entry });
      const instance = await kit.make(`${path}/registries`, {
        name,
        type: "mcp",
        provider_options: { code, url: at, ...more.options },
        auth: more.auth ?? null,
        allow_private: true,
      });
      return { code, id: instance.id, path: `${path}/registries/${instance.id}` };
    },
    /** One for each principal and set of groups: accounts belong to the token that connected them. */
    token(principal_sub: string, groups: string[] = []): Promise<string> {
      const key = JSON.stringify([principal_sub, groups]);
      const known = tokens.get(key) ?? this.newToken(principal_sub, groups);
      tokens.set(key, known);
      return known;
    },
    async newToken(principal_sub: string, groups: string[] = []): Promise<string> {
      const body = { name: `${principal_sub} ${crypto.randomUUID()}`, principal_sub, groups };
      const { token } = await kit.make<{ token: string }>(`${path}/store/principal-tokens`, body);
      return token;
    },
    async client(principal_sub: string, kind?: ClientKind) {
      return await connectClient(
        url,
        { authorization: `Bearer ${await this.token(principal_sub)}` },
        kind,
      );
    },
    /** A consumer with these registries attached, and where its key gets in. */
    async consumer(registries: { id: string }[]) {
      const consumers = `${path}/consumers`;
      const named = { name: "Agent", registries: registries.map(({ id }) => ({ id })) };
      const { id, slug } = await kit.make<{ id: string; slug: string }>(consumers, named);
      const { key } = await kit.make<{ key: string }>(`${consumers}/${id}/keys`, { name: "k" });
      return { path: `${consumers}/${id}`, url: `${kit.url}/${slug}/mcp`, key };
    },
    async install(principal_sub: string, code: string): Promise<string> {
      await kit.make(`${path}/store/principal/installs`, { principal_sub, code });
      const reply = await kit.call(
        "GET",
        `${path}/store/principal/installs?principal_sub=${principal_sub}`,
      );
      const { items } = (await reply.json()) as { items: { id: string; code: string }[] };
      return items.find((one) => one.code === code)?.id ?? "";
    },
    rule: (principal_sub: string, level: string) =>
      kit.make(`${path}/store/access-rules`, {
        subject_type: "user",
        subject: principal_sub,
        target_type: "all",
        level,
      }),
  };
}
