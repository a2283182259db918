/** The console's session: a cookie in exchange for a token, and a CSRF header. */
import { describe, expect, test } from "bun:test";
import { OWNER_TOKEN, sharedKit, startKit } from "../kit/kit.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";

const started = sharedKit();

async function signedIn(token = OWNER_TOKEN) {
  const kit = await started();
  const reply = await fetch(`${kit.url}/v1/session`, {
    method: "POST",
    body: JSON.stringify({ token }),
  });
  const set = reply.headers.get("set-cookie") ?? "";
  const cookie = set.slice(0, set.indexOf(";"));
  const call = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: unknown,
  ) =>
    fetch(`${kit.url}${path}`, {
      method,
      headers: { cookie, ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  return { kit, reply, set, cookie, call };
}

test("signing in sets an HttpOnly SameSite cookie without the token", async () => {
  const { reply, set } = await signedIn();

  expect(reply.status).toBe(200);
  expect(await reply.json()).toMatchObject({ name: "First owner", role: "owner" });
  expect(set).toMatch(
    /^portcullis_session=[^;]+; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  expect(set).not.toContain(OWNER_TOKEN);
});

describe("behind an https address with a prefix", () => {
  const settings = { PUBLIC_URL: "https://gateway.example.com/prefix" };
  const behindProxy = sharedKit({ settings });
  const origin = "https://gateway.example.com";
  const cookieIn = (reply: Response) => reply.headers.get("set-cookie") ?? "";
  /** A site of the same domain cannot set a name that starts with __Host-, but any other one. */
  const asSibling = (cookie: string) => cookie.replace("__Host-", "");

  test("the console's cookie is Secure and cannot be set by sibling sites", async () => {
    const kit = await behindProxy();
    const set = cookieIn(await kit.post("/v1/session", { token: OWNER_TOKEN }));
    const [cookie = ""] = set.split(";");
    const whoAmI = async (sent: string) =>
      (await fetch(`${kit.url}/v1/whoami`, { headers: { cookie: sent } })).status;

    expect(set).toStartWith("__Host-portcullis_session=");
    expect(set).toEndWith("; Path=/; HttpOnly; SameSite=Strict; Secure");
    expect([await whoAmI(cookie), await whoAmI(asSibling(cookie))]).toEqual([200, 401]);
  });

  test("a principal signs in from the page's origin, with a cookie that sibling sites cannot set", async () => {
    const kit = await behindProxy();
    const body = new URLSearchParams({ token: await (await makeMcpStore(kit)).token("alice") });
    const submit = (from: string) =>
      fetch(`${kit.url}/me`, {
        method: "POST",
        headers: { origin: from },
        body,
        redirect: "manual",
      });
    const reply = await submit(origin);
    const [cookie = ""] = cookieIn(reply).split(";");
    const pageFor = async (sent: string) =>
      await (await fetch(`${kit.url}/me`, { headers: { cookie: sent } })).text();

    expect([reply.status, (await submit("https://attacker.example.net")).status]).toEqual([
      303, 403,
    ]);
    expect(await pageFor(cookie)).toContain("Signed in as alice");
    expect(await pageFor(asSibling(cookie))).not.toContain("Signed in as alice");
  });
});

test("a form of another site cannot sign in", async () => {
  const kit = await started();
  const signIn = (headers: Record<string, string>) =>
    kit.call("POST", "/v1/session", { token: OWNER_TOKEN }, { ...headers, authorization: "" });
  const origin = "https://attacker.example.net";

  const forged = await signIn({ origin, "content-type": "text/plain" });
  const ours = await signIn({ origin: kit.url, "x-portcullis-csrf": "1" });

  expect([forged.status, forged.headers.get("set-cookie")]).toEqual([403, null]);
  expect(ours.status).toBe(200);
});

test.each(["/v1/session", "/v1/token"])("the body size at %s is limited", async (path) => {
  const kit = await started();

  const reply = await fetch(`${kit.url}${path}`, { method: "POST", body: "[".repeat(65_537) });

  expect(reply.status).toBe(413);
});

test("a wrong token does not sign in", async () => {
  const { reply, set } = await signedIn("pa_wrong");

  expect([reply.status, set]).toEqual([401, ""]);
});

test("per minute, 10 sign-ins of a subject and 20 failed ones are in the audit log, and sign-outs", async () => {
  await using kit = await startKit({ now: () => new Date("2026-11-16T10:00:00Z") });
  const signIn = (token: string) => kit.post("/v1/session", { token });
  const cookie = (await signIn(OWNER_TOKEN)).headers.get("set-cookie")?.split(";")[0] ?? "";
  await kit.call("DELETE", "/v1/session", undefined, { cookie });
  for (let attempt = 0; attempt < 25; attempt += 1) await signIn("pa_wrong");
  const token = await (await makeMcpStore(kit)).token("alice");
  const submit = (sent: string) =>
    fetch(`${kit.url}/me`, { method: "POST", body: new URLSearchParams({ token: sent }) });
  for (let attempt = 0; attempt < 12; attempt += 1) await submit(token);
  await submit("pp_wrong");

  const reply = await kit.get("/v1/audit?resource=session&limit=100");

  const { items } = (await reply.json()) as { items: { summary: string }[] };
  const failed = "Unknown client tried to sign in to the console with an invalid token.";
  expect(items.map(({ summary }) => summary).sort()).toEqual(
    [
      "First owner signed in to the console.",
      "First owner signed out of the console.",
      ...Array.from({ length: 20 }, () => failed),
      ...Array.from({ length: 10 }, () => "alice signed in to the Store."),
      failed.replace("console", "Store"),
    ].sort(),
  );
  expect(JSON.stringify(items)).not.toContain("pa_wrong");
});

test("the cookie allows reads, and changes only with the CSRF header", async () => {
  const { call } = await signedIn();

  expect((await call("GET", "/v1/gateways")).status).toBe(200);
  expect((await call("POST", "/v1/gateways", {}, { name: "forged" })).status).toBe(403);
  expect(
    (await call("POST", "/v1/gateways", { "x-portcullis-csrf": "1" }, { name: "mine" })).status,
  ).toBe(201);
});

test("revoking a token ends its sessions immediately", async () => {
  const kit = await started();
  const { id, token } = await kit.make<{ id: string; token: string }>("/v1/tokens", {
    name: "t",
    role: "viewer",
  });
  const { call } = await signedIn(token);
  const before = await call("GET", "/v1/gateways");

  await kit.delete(`/v1/tokens/${id}`);

  expect([before.status, (await call("GET", "/v1/gateways")).status]).toEqual([200, 401]);
});

test.each([
  ["portcullis_session=nonsense"],
  ["portcullis_session=%E0%A4%A"],
  ["portcullis_session=sealed:v2:k:x"],
])("the cookie %s is rejected", async (cookie) => {
  const kit = await started();

  expect((await fetch(`${kit.url}/v1/gateways`, { headers: { cookie } })).status).toBe(401);
});

test("signing out deletes the cookie", async () => {
  const { call } = await signedIn();

  const reply = await call("DELETE", "/v1/session", { "x-portcullis-csrf": "1" });

  expect(reply.status).toBe(204);
  expect(reply.headers.get("set-cookie")).toContain("Max-Age=0");
});
