/** A small real authorization server: discovery, registration, code with PKCE, rotating refresh tokens. */
import { createHash } from "node:crypto";
import { type McpServerOptions, startMcpServer } from "./mcp-server.ts";

interface Issued {
  client_id: string;
  sub: string;
}

export type AuthServer = ReturnType<typeof startAuthServer>;

export function startAuthServer() {
  const clients = new Map<string, { secret: string | undefined; redirect_uris: string[] }>();
  const codes = new Map<string, Issued & { challenge: string; redirect_uri: string }>();
  const access = new Map<string, Issued>();
  const refresh = new Map<string, Issued>();
  const seen: { form: URLSearchParams; basic: string | undefined }[] = [];
  const state = {
    /** The user who consents at the authorization page. */
    sub: "alice@vendor.example",
    expires_in: 3600,
    /** Added to every token response. */
    more: {} as Record<string, unknown>,
    /** Delay of the token endpoint in milliseconds. */
    delay_ms: 0,
    broken: false,
    /** Replaces members of the metadata. */
    metadata: {} as Record<string, unknown>,
    /** The issuer that the authorization response names (RFC 9207); null: it names none. */
    iss: undefined as string | null | undefined,
  };
  const secret = (kind: string) => `${kind}-${crypto.randomUUID()}`;
  const refuse = (error: string) => Response.json({ error }, { status: 400 });

  function issue(to: Issued, renewable = true) {
    const [access_token, refresh_token] = [secret("at"), secret("rt")];
    access.set(access_token, to);
    if (renewable) refresh.set(refresh_token, to);
    const { expires_in, more } = state;
    const tokens = { access_token, token_type: "Bearer", expires_in, ...more };
    return Response.json(renewable ? { ...tokens, refresh_token, scope: "read write" } : tokens);
  }

  function grant(form: URLSearchParams, basic: string | undefined): Response {
    const client_id = form.get("client_id") ?? basic?.split(":")[0] ?? "";
    const client = clients.get(client_id);
    if (!client) return Response.json({ error: "invalid_client" }, { status: 401 });
    if (client.secret && basic !== `${client_id}:${client.secret}`) return refuse("invalid_client");
    if (form.get("grant_type") === "client_credentials") {
      return issue({ client_id, sub: client_id }, false);
    }
    if (form.get("grant_type") === "refresh_token") {
      const held = refresh.get(form.get("refresh_token") ?? "");
      if (held?.client_id !== client_id) return refuse("invalid_grant");
      refresh.delete(form.get("refresh_token") ?? ""); // works once
      return issue(held);
    }
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const fits =
      code?.client_id === client_id &&
      code.challenge === proof &&
      code.redirect_uri === form.get("redirect_uri");
    return fits ? issue({ client_id, sub: code.sub }) : refuse("invalid_grant");
  }

  function authorize(query: URLSearchParams): Response {
    const [client_id = "", redirect_uri = ""] = ["client_id", "redirect_uri"].map((name) =>
      String(query.get(name)),
    );
    const known = clients.get(client_id)?.redirect_uris.includes(redirect_uri);
    if (!known || query.get("code_challenge_method") !== "S256") return refuse("invalid_request");
    const code = secret("code");
    const challenge = query.get("code_challenge") ?? "";
    codes.set(code, { client_id, sub: state.sub, challenge, redirect_uri });
    const back = new URL(redirect_uri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    const iss = state.iss === undefined ? server.url.origin : state.iss;
    if (iss !== null) back.searchParams.set("iss", iss);
    return Response.redirect(back.href, 302);
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname, searchParams, origin } = new URL(request.url);
      if (pathname === "/.well-known/oauth-authorization-server") {
        return Response.json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
          authorization_response_iss_parameter_supported: true,
          ...state.metadata,
        });
      }
      if (pathname === "/register") {
        const { redirect_uris } = (await request.json()) as { redirect_uris: string[] };
        const client_id = secret("client");
        clients.set(client_id, { secret: undefined, redirect_uris });
        return Response.json({ client_id, redirect_uris }, { status: 201 });
      }
      if (pathname === "/authorize") return authorize(searchParams);
      if (pathname !== "/token") return new Response("not found", { status: 404 });
      const form = new URLSearchParams(await request.text());
      const [, encoded] = (request.headers.get("authorization") ?? "").split("Basic ");
      const basic = encoded === undefined ? undefined : decodeURIComponent(atob(encoded));
      seen.push({ form, basic });
      await Bun.sleep(state.delay_ms);
      if (state.broken) return new Response("down", { status: 503 });
      return grant(form, basic);
    },
  });

  return {
    url: server.url.origin,
    state,
    clients,
    access,
    refresh,
    /** Requests to the token endpoint. */
    seen,
    grants: () => seen.map(({ form }) => form.get("grant_type")),
    /** Every secret that it ever gave out. */
    secrets: () => [...access.keys(), ...refresh.keys()],
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** An MCP server that accepts tokens of `auth`, with a resource for each query; `advertises` can be changed to name another authorization server. */
export function startProtectedServer(auth: AuthServer, options: McpServerOptions = {}) {
  const advertises = { issuer: auth.url };
  const server = startMcpServer({
    ...options,
    gate(request) {
      const { pathname, origin, search } = new URL(request.url);
      if (pathname === "/.well-known/oauth-protected-resource/mcp") {
        return Response.json({
          resource: `${origin}/mcp${search}`,
          authorization_servers: [advertises.issuer],
          scopes_supported: ["read", "write"],
        });
      }
      const [, token = ""] = (request.headers.get("authorization") ?? "").split("Bearer ");
      if (auth.access.has(token)) return undefined;
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp${search}`;
      return new Response(`no: ${token}`, {
        status: 401,
        headers: { "www-authenticate": `Bearer resource_metadata="${metadata}"` },
      });
    },
  });
  return { ...server, advertises };
}
