/** A session ends for good when its owner signs out or its token is revoked: a copied cookie is worth nothing then. */
import { describe, expect, test } from "bun:test";
import { configRevision } from "../../src/db/config-revision.ts";
import { sweep } from "../../src/server/sweep.ts";
import { newSigningKey, startIssuer } from "../kit/issuer.ts";
import { type Kit, OWNER_TOKEN, startKit } from "../kit/kit.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { measureLongestTurn } from "../kit/measure-longest-turn.ts";
import { databaseKinds } from "../kit/services.ts";
import { twoNodes } from "../kit/two-nodes.ts";
import { minOfRuns, until } from "../kit/until.ts";

const CSRF = { "x-portcullis-csrf": "1" };

async function consoleCookie(kit: Kit, token = OWNER_TOKEN, cookie = ""): Promise<string> {
  const reply = await fetch(`${kit.url}/v1/session`, {
    method: "POST",
    headers: { cookie },
    body: JSON.stringify({ token }),
  });
  return cookieOf(reply);
}

const cookieOf = (reply: Response): string =>
  /^[^;]+/.exec(reply.headers.get("set-cookie") ?? "")?.[0] ?? "";

const whoAmI = async (kit: Kit, cookie: string): Promise<number> =>
  (await fetch(`${kit.url}/v1/whoami`, { headers: { cookie } })).status;

const signOut = (kit: Kit, cookie: string) =>
  fetch(`${kit.url}/v1/session`, { method: "DELETE", headers: { cookie, ...CSRF } });

const endedCount = async (kit: Kit): Promise<number> =>
  Number((await kit.db.one<{ n: number }>("SELECT COUNT(*) AS n FROM ended_sessions"))?.n);

describe.each(databaseKinds)("on %s", (database) => {
  test("signing out ends a copied console cookie on every node, and no other session", async () => {
    await using nodes = await twoNodes(database);
    const { one, other } = nodes;
    const [cookie, second] = [await consoleCookie(one), await consoleCookie(one)];
    expect([await whoAmI(one, cookie), await whoAmI(other, cookie)]).toEqual([200, 200]);

    const { gateways } = one.deps.snapshot();
    const { gateways: gatewaysOfOther } = other.deps.snapshot();

    const reply = await signOut(one, cookie);

    expect([reply.status, cookieOf(reply)]).toEqual([204, "portcullis_session="]);
    expect(await whoAmI(one, cookie)).toBe(401);
    await until(async () => (await whoAmI(other, cookie)) === 401);
    // Only the sessions are read again.
    expect(one.deps.snapshot().gateways).toBe(gateways);
    expect(other.deps.snapshot().gateways).toBe(gatewaysOfOther);
    const made = await one.make("/v1/gateways", { name: "made after a sign-out" });
    await until(() => other.deps.snapshot().gateways.has(made.id));
    expect([await whoAmI(one, second), await whoAmI(other, second)]).toEqual([200, 200]);
    const data_dir = one.data_dir;
    await using restarted = await startKit({ database_url: one.database_url, data_dir });
    expect([await whoAmI(restarted, cookie), await whoAmI(restarted, second)]).toEqual([401, 200]);
  });

  test("revoking a token ends a copied console cookie on every node", async () => {
    await using nodes = await twoNodes(database);
    const { one, other } = nodes;
    const token = await one.make<{ id: string; token: string }>("/v1/tokens", {
      name: "t",
      role: "viewer",
    });
    const cookie = await consoleCookie(one, token.token);

    await one.delete(`/v1/tokens/${token.id}`);

    expect(await whoAmI(one, cookie)).toBe(401);
    await until(async () => (await whoAmI(other, cookie)) === 401);
  });

  test("signing out of the connect page ends a copied cookie of a principal on every node", async () => {
    await using nodes = await twoNodes(database);
    const { one, other } = nodes;
    const store = await makeMcpStore(one);
    const { code } = await store.serve("Keyed", "http://127.0.0.1:9/mcp", {
      auth: { type: "principal_key" },
    });
    const path = `/me/connect/${await store.install("alice", code)}`;
    const submit = (kit: Kit, fields: Record<string, string>, headers: object = {}) =>
      fetch(`${kit.url}${path}`, {
        method: "POST",
        headers: { origin: kit.url, ...headers },
        body: new URLSearchParams(fields),
        redirect: "manual",
      });
    const pageOf = async (kit: Kit, cookie: string) =>
      (await fetch(`${kit.url}${path}`, { headers: { cookie } })).text();
    const cookie = cookieOf(await submit(one, { token: await store.token("alice") }));
    expect(await pageOf(one, cookie)).toContain("Signed in as alice");

    const reply = await submit(one, { sign_out: "" }, { cookie });

    expect([reply.status, cookieOf(reply)]).toEqual([303, "portcullis_principal="]);
    for (const kit of [one, other]) {
      expect(await pageOf(kit, cookie)).not.toContain("Signed in as alice");
      expect((await submit(kit, {}, { cookie })).status).toBe(401);
    }
  });
});

/** Sends the form of the principal page. */
const submit = (kit: Kit, fields: Record<string, string>, cookie = "") =>
  fetch(`${kit.url}/me`, {
    method: "POST",
    headers: { cookie },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
const principalPage = async (kit: Kit, cookie: string) =>
  (await fetch(`${kit.url}/me`, { headers: { cookie } })).text();

test.each([
  ["a rotated token", { action: "rotate" }],
  ["another sign-in", {}],
])("%s ends the copied cookie of the session that it replaces", async (_, action) => {
  await using kit = await startKit();
  const store = await makeMcpStore(kit);
  const token = await store.token("alice");
  const copied = cookieOf(await submit(kit, { token }));

  const current = cookieOf(await submit(kit, "action" in action ? action : { token }, copied));

  expect(await principalPage(kit, current)).not.toContain('name="token"');
  expect(await principalPage(kit, copied)).toContain('name="token"');
  expect((await submit(kit, { action: "rotate" }, copied)).status).toBe(401);
});

test("signing out ends a copied cookie of a principal while the issuer is disabled", async () => {
  await using kit = await startKit();
  const { path } = await makeMcpStore(kit);
  const key = await newSigningKey("ES256", "k");
  await using idp = await startIssuer(key);
  const { id } = await kit.make(`${path}/store/issuers`, {
    name: "login",
    issuer: "https://login.example.com",
    audience: "gateway",
    jwks_url: idp.jwks_url,
    allow_private: true,
  });
  const cookie = cookieOf(await submit(kit, { token: await idp.sign(key) }));
  const before = await principalPage(kit, cookie);

  await kit.put(`${path}/store/issuers/${id}`, { enabled: false });
  await submit(kit, { sign_out: "" }, cookie);
  await kit.put(`${path}/store/issuers/${id}`, { enabled: true });

  expect(before).not.toContain('name="token"');
  expect(await principalPage(kit, cookie)).toContain('name="token"');
});

test("another sign-in ends the copied cookie of the console session that it replaces", async () => {
  await using kit = await startKit();
  const [copied, other] = [await consoleCookie(kit), await consoleCookie(kit)];

  const failed = await consoleCookie(kit, "unknown", copied);
  const before = await whoAmI(kit, copied);
  const current = await consoleCookie(kit, OWNER_TOKEN, copied);

  expect([failed, before]).toEqual(["", 200]);
  expect(await whoAmI(kit, copied)).toBe(401);
  expect([await whoAmI(kit, current), await whoAmI(kit, other)]).toEqual([200, 200]);
});

test("signing out with a limited token works, and another site cannot do it", async () => {
  await using kit = await startKit();
  const { id } = await kit.make("/v1/gateways", { name: "g" });
  const made = { name: "t", role: "viewer", gateway_ids: [id] };
  const { token } = await kit.make<{ token: string }>("/v1/tokens", made);
  const cookie = await consoleCookie(kit, token);

  const forged = await fetch(`${kit.url}/v1/session`, { method: "DELETE", headers: { cookie } });

  expect([forged.status, await whoAmI(kit, cookie)]).toEqual([403, 200]);
  expect((await signOut(kit, cookie)).status).toBe(204);
  expect(await whoAmI(kit, cookie)).toBe(401);
});

test("a sign-out without a session writes nothing", async () => {
  await using kit = await startKit();
  const { revision } = kit.deps.snapshot();

  const reply = await signOut(kit, "portcullis_session=nonsense");
  const byToken = await kit.delete("/v1/session");

  expect([reply.status, byToken.status, await endedCount(kit)]).toEqual([401, 400, 0]);
  expect(await configRevision(kit.db)).toBe(revision);
});

test("the record of an ended session is deleted when its cookie would have expired", async () => {
  await using kit = await startKit();
  await signOut(kit, await consoleCookie(kit));
  const later = (hours: number) => () => new Date(Date.now() + hours * 3_600_000);

  await sweep({ ...kit.deps, now: later(11) });
  const before = await endedCount(kit);
  await sweep({ ...kit.deps, now: later(13) });

  expect([before, await endedCount(kit)]).toEqual([1, 0]);
});

test("a token starts a limited number of sessions, because each node has the ended ones in memory", async () => {
  await using kit = await startKit();
  const made = { name: "t", role: "viewer" };
  const { token } = await kit.make<{ token: string }>("/v1/tokens", made);
  const signIn = (body: object) =>
    fetch(`${kit.url}/v1/session`, { method: "POST", body: JSON.stringify(body) });

  // Twice the limit: the minute may change meanwhile.
  const replies = await Promise.all(Array.from({ length: 241 }, () => signIn({ token })));

  const rejected = replies.filter(({ status }) => status === 429);
  expect(rejected.length).toBeGreaterThan(0);
  expect(await rejected[0]?.json()).toMatchObject({ error: "rate_limited" });
  expect((await signIn({ token: OWNER_TOKEN })).status).toBe(200);
});

test("many sign-ins and sign-outs at once do not block other requests", async () => {
  await using kit = await startKit();
  const many = Array.from({ length: 100 });
  const measureShare = async (work: () => Promise<unknown>) => {
    const [longest, , all] = await measureLongestTurn(work);
    return longest / all;
  };
  const signInAndOut = async () => {
    let cookies: string[] = [];
    const made = { name: crypto.randomUUID(), role: "viewer" };
    const { token } = await kit.make<{ token: string }>("/v1/tokens", made);
    const signingIn = await measureShare(async () => {
      cookies = await Promise.all(many.map(() => consoleCookie(kit, token)));
    });
    const signingOut = await measureShare(() =>
      Promise.all(cookies.map((cookie) => signOut(kit, cookie))),
    );
    expect(await whoAmI(kit, cookies[0] ?? "")).toBe(401);
    return Math.max(signingIn, signingOut);
  };

  const share = await minOfRuns(signInAndOut, 0.5);

  expect(share).toBeLessThan(0.5);
}, 60_000);
