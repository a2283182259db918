/** Principals: personal tokens and JWTs of an external issuer. */
import { describe, expect, test } from "bun:test";
import { newSigningKey, type SigningAlgorithm, startIssuer } from "../kit/issuer.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { startStore } from "../kit/store.ts";
import { until } from "../kit/until.ts";

describe.each(databaseKinds)("%s", (database) => {
  const started = sharedKit({ database });
  /** Calls the API as a principal. */
  const ask = async (token: string) =>
    (
      await fetch(`${(await started()).url}/v0.1/servers`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).status;

  describe("personal tokens", () => {
    const made = async (more: object = {}) => {
      const kit = await started();
      const store = await startStore(kit);
      const path = `${store.path}/store/principal-tokens`;
      const body = { name: "Laptop", principal_sub: "alice", groups: ["eng"], ...more };
      const token = await kit.make<{ id: string; token: string }>(path, body);
      return { kit, store, path, ...token };
    };

    test("a token is shown once and stored as its hash", async () => {
      const { kit, path, id, token } = await made();

      const listed = await (await kit.get(path)).text();
      const row = JSON.stringify(await kit.db.many("SELECT * FROM principal_tokens"));
      const audit = await (await kit.get("/v1/audit?resource=principal_token")).text();

      expect(token).toMatch(/^pp_[\w-]{43}$/);
      expect(listed).toContain(id);
      expect(listed + row + audit + kit.lines.join("")).not.toContain(token);
    });

    test("known principals and their groups are listed, and the audit log finds names", async () => {
      const { kit, store } = await made();
      for (const [principal_sub, groups] of [
        ["alice", ["eng"]],
        ["bob", ["eng", "sales"]],
      ]) {
        await store.install({ code: "pub", principal_sub, groups });
      }
      const read = async (path: string) => await (await kit.get(path)).json();

      expect(await read(`${store.path}/store/groups?q=E`)).toEqual({
        items: [
          { name: "eng", people: 2 },
          { name: "sales", people: 1 },
        ],
      });
      expect(await read(`${store.path}/store/principals?q=BO`)).toMatchObject({
        items: [{ principal_sub: "bob", groups: ["eng", "sales"] }],
      });
      const audit = `/v1/audit?gateway_id=${store.gateway.id}&actor=First+owner&from=2020-01-01T00:00:00Z`;
      expect(await read(`${audit}&q=FOR+BOB`)).toMatchObject({
        items: [{ summary: "First owner installed pub for bob." }],
      });
      expect(await read(`/v1/audit/actors?gateway_id=${store.gateway.id}&q=first`)).toEqual({
        items: ["First owner"],
      });
    });

    test("it identifies its principal until it is revoked", async () => {
      const { kit, path, id, token } = await made();

      const before = await ask(token);
      await kit.delete(`${path}/${id}`);
      const after = await ask(token);

      expect([before, after]).toEqual([200, 401]);
      expect(await (await kit.get(`${path}/${id}`)).json()).toMatchObject({ state: "revoked" });
    });

    test("it stops when it expires", async () => {
      const { kit, id, token } = await made({ expires_at: "2999-01-01T00:00:00Z" });
      const past = "2020-01-01T00:00:00Z";
      const before = await ask(token);
      await kit.db.run("UPDATE principal_tokens SET expires_at = $1 WHERE id = $2", past, id);

      expect([before, await ask(token)]).toEqual([200, 401]);
    });

    test("it opens nothing of the admin API, and an administrator's token nothing of the Store's", async () => {
      const { kit, token } = await made();

      const admin = await kit.call("GET", "/v1/gateways", undefined, {
        authorization: `Bearer ${token}`,
      });

      expect([admin.status, await ask("pa_test-owner-token-0123456789abcdef")]).toEqual([401, 401]);
    });

    test.each([
      ["an end in the past", { expires_at: "2020-01-01T00:00:00Z" }],
      ["no principal", { principal_sub: " " }],
      ["groups that are not texts", { groups: [1] }],
      ["an unknown member", { role: "owner" }],
    ])("%s is a 422", async (_, more) => {
      const kit = await started();
      const store = await startStore(kit);

      const reply = await kit.post(`${store.path}/store/principal-tokens`, {
        name: "t",
        principal_sub: "alice",
        ...more,
      });

      expect(reply.status).toBe(422);
    });
  });

  describe("issuers", () => {
    const PRIVATE = { allow_private: true };
    /** Unique for each test: an issuer and its audience say which gateway is meant. */
    const trusting = async (alg: SigningAlgorithm = "ES256", more: object = {}) => {
      const kit = await started();
      const store = await startStore(kit, "request");
      const key = await newSigningKey(alg, "k1");
      const issuer = await startIssuer(key);
      const audience = crypto.randomUUID();
      const path = `${store.path}/store/issuers`;
      const made = await kit.make(path, {
        name: "login",
        issuer: "https://login.example.com",
        audience,
        jwks_url: issuer.jwks_url,
        allow_private: true,
        ...more,
      });
      const sign = (claims: object = {}, header: object = {}) =>
        issuer.sign(key, { aud: audience, ...claims }, header);
      return { kit, store, key, issuer, audience, path, made, sign };
    };

    test.each<SigningAlgorithm>(["RS256", "ES256", "EdDSA"])(
      "a token by %s is taken",
      async (alg) => {
        const { issuer, sign } = await trusting(alg);
        await using _ = issuer;

        expect(await ask(await sign())).toBe(200);
      },
    );

    test("groups come from the claim that the issuer names", async () => {
      const { issuer, store, sign } = await trusting("ES256", { groups_claim: "realm.roles" });
      await using _ = issuer;
      await store.rule("group:eng", "install");
      await ask(await sign({ realm: { roles: ["eng", 7, ""] } }));

      const body = await (await store.install({ code: "pub" })).json();

      expect(body).toMatchObject({ status: "installed" });
    });

    test("a claim whose own name holds dots is found", async () => {
      const claim = "https://example.com/groups";
      const { kit, issuer, sign, store } = await trusting("ES256", { groups_claim: claim });
      await using _ = issuer;

      await ask(await sign({ [claim]: "eng" }));
      const row = await kit.db.one<{ groups: string }>(
        "SELECT groups FROM principals WHERE gateway_id = $1",
        store.gateway.id,
      );

      expect(JSON.parse(row?.groups ?? "")).toEqual(["eng"]);
    });

    test.each<[string, object, object]>([
      ["of another issuer", { iss: "https://evil.example.com" }, {}],
      ["for another audience", { aud: "somebody else" }, {}],
      ["without an audience", { aud: undefined }, {}],
      ["that has expired", { exp: Date.now() / 1000 - 120 }, {}],
      ["that never expires", { exp: undefined }, {}],
      ["whose end is a text", { exp: "2999" }, {}],
      ["that is not valid yet", { nbf: Date.now() / 1000 + 120 }, {}],
      ["without a subject", { sub: undefined }, {}],
      ["whose subject is padded", { sub: " alice" }, {}],
      ["with a subject that is no text", { sub: { $ne: "" } }, {}],
      ["with extensions that must be understood", {}, { crit: ["b64"] }],
      ["that names an unknown key", {}, { kid: "nope" }],
      ["that says another algorithm", {}, { alg: "RS256" }],
    ])("a token %s is a 401", async (_, claims, header) => {
      const { issuer, sign } = await trusting();
      await using __ = issuer;

      expect(await ask(await sign(claims, header))).toBe(401);
    });

    test.each([-50, 50])("a clock that is off by %i seconds is forgiven", async (skew) => {
      const { issuer, sign } = await trusting();
      await using _ = issuer;
      const at = Date.now() / 1000 + skew;

      expect(await ask(await sign(skew < 0 ? { exp: at } : { nbf: at }))).toBe(200);
    });

    test("forged tokens are a 401: no algorithm, a public key as a secret, a changed claim", async () => {
      const { issuer, key, sign } = await trusting("RS256");
      await using _ = issuer;
      const [head, , signature] = (await sign()).split(".");
      const body = Buffer.from(JSON.stringify({ sub: "root" })).toString("base64url");

      const statuses = [
        await ask(issuer.unsigned("none")),
        await ask(issuer.unsigned("None")),
        await ask(issuer.hmac(key)),
        await ask(`${head}.${body}.${signature}`),
        await ask("a.b.c"),
      ];

      expect(statuses).toEqual([401, 401, 401, 401, 401]);
    });

    test("a key that is too short signs nothing", async () => {
      const { issuer, audience } = await trusting();
      await using _ = issuer;
      const short = await newSigningKey("RS256", "short", { modulusLength: 1024 });
      issuer.serve(short);

      expect(await ask(await issuer.sign(short, { aud: audience }))).toBe(401);
    });

    test("a key of another issuer does not count here", async () => {
      const { issuer, audience } = await trusting();
      await using _ = issuer;
      const stranger = await newSigningKey("ES256", "k1");

      expect(await ask(await issuer.sign(stranger, { aud: audience }))).toBe(401);
    });

    test("keys are fetched once, and again when a token names a new one", async () => {
      const { issuer, audience, sign } = await trusting();
      await using _ = issuer;
      await Promise.all([sign(), sign(), sign()].map(async (token) => ask(await token)));
      const first = issuer.upstream.hits.length;
      const next = await newSigningKey("ES256", "k2");
      issuer.serve(next);

      const rotated = await ask(await issuer.sign(next, { aud: audience }));
      const invented = await ask(await sign({}, { kid: "k3" }));
      await ask(await sign({}, { kid: "k4" }));

      expect([first, rotated, invented]).toEqual([1, 200, 401]);
      expect(issuer.upstream.hits.length).toBe(2);
    });

    test("a token without a key id is verified with each key of its issuer", async () => {
      const { issuer, key, audience, sign } = await trusting();
      await using _ = issuer;
      const [other, stranger] = [
        await newSigningKey("ES256", "k2"),
        await newSigningKey("ES256", "k3"),
      ];
      issuer.serve(other, key);
      const without = { kid: undefined };

      expect(await ask(await sign({}, without))).toBe(200);
      expect(await ask(await issuer.sign(stranger, { aud: audience }, without))).toBe(401);
    });

    test("a token with an algorithm that is not accepted is a 401, and no keys are fetched", async () => {
      const { issuer, sign } = await trusting("RS256");
      await using _ = issuer;

      const statuses = [];
      for (const alg of ["RS384", "PS256", "HS256", "none", 7]) {
        statuses.push(await ask(await sign({}, { alg })));
      }

      expect(statuses).toEqual([401, 401, 401, 401, 401]);
      expect(issuer.upstream.hits.length).toBe(0);
    });

    test("a private key in the JWKS verifies nothing", async () => {
      const { issuer, key, sign } = await trusting();
      await using _ = issuer;
      const jwk = await crypto.subtle.exportKey("jwk", key.pair.privateKey);
      issuer.upstream.script({ body: { keys: [{ ...jwk, kid: "k1", key_ops: ["verify"] }] } });

      expect(await ask(await sign())).toBe(401);
    });

    test("a JWKS with more than 100 keys, or of more than 1 MiB, is a 502", async () => {
      for (const body of [
        { keys: Array.from({ length: 101 }, () => ({ kty: "EC" })) },
        { keys: [{ kty: "EC", x: "A".repeat(1024 * 1024) }] },
        { keys: "none" },
        [],
      ]) {
        const { issuer, sign } = await trusting();
        await using _ = issuer;
        issuer.upstream.script({ body });

        expect(await ask(await sign())).toBe(502);
      }
    });

    test("an issuer whose keys cannot be read is a 502 that names it, not a wrong token", async () => {
      const { kit, issuer, sign } = await trusting();
      await using _ = issuer;
      issuer.upstream.script({ status: 500 });

      const authorization = `Bearer ${await sign()}`;
      const reply = await fetch(`${kit.url}/v0.1/servers`, { headers: { authorization } });

      expect(reply.status).toBe(502);
      expect(await reply.text()).toContain("The keys of the issuer https://login.example.com");
    });

    test("keys beside an error are none of the issuer's", async () => {
      const { issuer, key, sign } = await trusting();
      await using _ = issuer;
      issuer.upstream.script({ status: 404, body: { keys: [key.jwk] } });

      expect(await ask(await sign())).toBe(502);
    });

    test("while an issuer is away, the keys that it had go on", async () => {
      const { issuer, sign } = await trusting();
      await using _ = issuer;
      const before = await ask(await sign());
      issuer.upstream.script({ status: 500 });

      const invented = await ask(await sign({}, { kid: "k2" }));

      expect(issuer.upstream.hits.length).toBe(2);
      expect([before, invented, await ask(await sign())]).toEqual([200, 401, 200]);
    });

    test("keys that were fetched inside do not serve an issuer that may not ask inside", async () => {
      const { kit, issuer, made, sign } = await trusting();
      await using _ = issuer;
      const before = await ask(await sign());
      await kit.db.run("UPDATE issuers SET allow_private = $1 WHERE id = $2", false, made.id);

      expect([before, await ask(await sign())]).toEqual([200, 502]);
      expect(issuer.upstream.hits.length).toBe(1);
    });

    // Waits for 5 s without the database.
    test.if(database === "sqlite")(
      "an issuer with slow keys does not block others",
      async () => {
        const { issuer, sign } = await trusting();
        await using _ = issuer;
        issuer.upstream.script({
          chunks: Array.from({ length: 40 }, (_, i) => (i % 2 ? 500 : " ")),
        });

        expect(await ask(await sign())).toBe(504);
      },
      9000,
    );

    test("a disabled issuer is not believed", async () => {
      const { kit, issuer, path, made, sign } = await trusting();
      await using _ = issuer;
      const before = await ask(await sign());
      await kit.put(`${path}/${made.id}`, { enabled: false });

      expect([before, await ask(await sign())]).toEqual([200, 401]);
    });

    test("the same issuer and audience cannot mean two gateways", async () => {
      const { kit, issuer, audience } = await trusting();
      await using _ = issuer;
      const other = await startStore(kit);

      const reply = await kit.post(`${other.path}/store/issuers`, {
        name: "login",
        issuer: "https://login.example.com",
        audience,
        jwks_url: "https://login.example.com/jwks",
      });

      expect(reply.status).toBe(409);
    });

    describe("a token with the audiences of two gateways", () => {
      /** Another gateway, whose administrator knows the second audience of the users' tokens. */
      const rival = async (kit: Kit) => {
        const { id } = await kit.make("/v1/gateways", { name: "rival" });
        const path = `/v1/gateways/${id}/store/issuers`;
        const signIn = async (role: string) => {
          const members = { name: crypto.randomUUID(), role, gateway_ids: [id] };
          const { token } = await kit.make<{ token: string }>("/v1/tokens", members);
          return { authorization: `Bearer ${token}` };
        };
        const scoped = await signIn("admin");
        const scopedOwner = await signIn("owner");
        const call = (method: string, at: string, sent: object, headers: object = {}) =>
          kit.call(method, `${path}${at}`, sent, { ...headers });
        const login = {
          name: "login",
          issuer: "https://login.example.com",
          jwks_url: "https://login.example.com/jwks",
        };
        /** An owner may create what the administrator of the gateway may not. */
        const make = async (body: object) => kit.make<{ id: string }>(path, { ...login, ...body });
        return { gateway_id: id, path, scoped, scopedOwner, call, login, make };
      };
      const gatewaysOf = async (kit: Kit, principal_sub: string) =>
        (
          await kit.db.many<{ gateway_id: string }>(
            "SELECT gateway_id FROM principals WHERE principal_sub = $1",
            principal_sub,
          )
        ).map(({ gateway_id }) => gateway_id);

      test("stays with the gateway that registered its audience first", async () => {
        const { kit, issuer, audience, store, sign } = await trusting();
        await using _ = issuer;
        const second = crypto.randomUUID();
        const sub = crypto.randomUUID();
        await (await rival(kit)).make({ audience: second, jwks_url: issuer.jwks_url, ...PRIVATE });

        for (const aud of [
          [audience, second],
          [second, audience],
        ]) {
          expect(await ask(await sign({ sub, aud }))).toBe(200);
        }
        expect(await gatewaysOf(kit, sub)).toEqual([store.gateway.id]);
      });

      test("is not taken over by an older issuer that is changed or enabled later", async () => {
        const kit = await started();
        const second = crypto.randomUUID();
        const sub = crypto.randomUUID();
        const other = await rival(kit);
        const older = { audience: crypto.randomUUID(), enabled: false };
        const { id } = await other.make(older);
        const { issuer, audience, store, sign } = await trusting();
        await using _ = issuer;

        const keys = { jwks_url: issuer.jwks_url, ...PRIVATE };
        for (const change of [{ audience: second, ...keys }, { enabled: true }]) {
          expect((await other.call("PUT", `/${id}`, change)).status).toBe(200);
        }

        expect(await ask(await sign({ sub, aud: [audience, second] }))).toBe(200);
        expect(await gatewaysOf(kit, sub)).toEqual([store.gateway.id]);
      });

      test.each([
        ["is enabled", { enabled: false }, { enabled: true }],
        ["gets the right keys", { jwks_url: "https://login.example.com/jwks" }, {}],
      ])("is not taken over by an older registration that %s later", async (_, before, change) => {
        const kit = await started();
        const [second, sub] = [crypto.randomUUID(), crypto.randomUUID()];
        const key = await newSigningKey("ES256", "k1");
        await using issuer = await startIssuer(key);
        const { jwks_url } = issuer;
        const { make, call, scoped } = await rival(kit);
        const { id } = await make({ audience: second, jwks_url, ...PRIVATE, ...before });
        const { issuer: own, audience, store } = await trusting("ES256", { jwks_url });
        await using _own = own;

        // Only an owner may move a private address; an administrator may move a public one.
        const as = "enabled" in before ? scoped : {};
        const saved = await call("PUT", `/${id}`, { jwks_url, ...change }, as);

        expect(saved.status).toBe(200);
        expect(await ask(await issuer.sign(key, { sub, aud: [audience, second] }))).toBe(200);
        expect(await gatewaysOf(kit, sub)).toEqual([store.gateway.id]);
      });

      test("does not wait more than once for an older issuer whose keys arrive slowly", async () => {
        const kit = await started();
        const second = crypto.randomUUID();
        await using slow = await startIssuer();
        slow.upstream.script({ body: { keys: [] }, delay_ms: 2100 });
        const { make } = await rival(kit);
        await make({ audience: second, jwks_url: slow.jwks_url, ...PRIVATE });
        const { issuer, audience, sign } = await trusting();
        await using _ = issuer;
        const token = await sign({ aud: [audience, second] });
        expect(await ask(token)).toBe(200);

        const start = performance.now();
        const status = await ask(token);

        expect(status).toBe(200);
        expect(performance.now() - start).toBeLessThan(1500);
        await until(() => slow.upstream.hits.length === 2);
      });

      test("is not locked out by an older issuer whose keys are others, or cannot be read", async () => {
        const kit = await started();
        const [second, third, sub] = [1, 2, 3].map(() => crypto.randomUUID());
        await using broken = await startIssuer(await newSigningKey("ES256", "k1"));
        await using stranger = await startIssuer(await newSigningKey("ES256", "k1"));
        const { make } = await rival(kit);
        broken.upstream.script({ status: 500 });
        await make({ audience: second, jwks_url: broken.jwks_url, ...PRIVATE });
        await make({ name: "b", audience: third, jwks_url: stranger.jwks_url, ...PRIVATE });
        const { issuer, audience, store, sign } = await trusting();
        await using _ = issuer;

        expect(await ask(await sign({ sub, aud: [second, third, audience] }))).toBe(200);
        expect(await gatewaysOf(kit, sub ?? "")).toEqual([store.gateway.id]);
        const expired = { exp: Math.floor(Date.now() / 1000) - 3600 };
        expect(await ask(await sign({ aud: [second, audience], ...expired }))).toBe(401);
      });

      test("is not reached by an administrator of another gateway: only an owner registers its issuer there", async () => {
        const { kit, issuer } = await trusting();
        await using _ = issuer;
        const { call, login, scoped, scopedOwner, make } = await rival(kit);
        const post = (body: object) => call("POST", "", { ...login, ...body }, scoped);

        const taken = await post({ audience: crypto.randomUUID() });
        const byOwner = await call("POST", "", { ...login, audience: "c" }, scopedOwner);
        const alone = await post({ audience: "a", issuer: `https://${crypto.randomUUID()}.test` });
        const { id } = (await alone.json()) as { id: string };
        const moved = await call("PUT", `/${id}`, { issuer: login.issuer }, scoped);
        const owned = await make({ name: "owned", audience: crypto.randomUUID() });
        const audience = await call("PUT", `/${owned.id}`, { audience: "b" }, scoped);
        const renamed = await call("PUT", `/${owned.id}`, { name: "renamed" }, scoped);

        const statuses = [taken, byOwner, alone, moved, audience, renamed].map(
          ({ status }) => status,
        );
        expect(statuses).toEqual([403, 403, 201, 403, 403, 200]);
        expect(await taken.json()).toMatchObject({
          message: expect.stringContaining("Another gateway trusts this issuer"),
        });
      });

      test("is still taken where both are of one gateway", async () => {
        const { kit, path, issuer, audience, sign } = await trusting();
        await using _ = issuer;
        const second = crypto.randomUUID();
        await kit.make(path, {
          name: "second",
          issuer: "https://login.example.com",
          audience: second,
          jwks_url: issuer.jwks_url,
          allow_private: true,
        });

        expect(await ask(await sign({ aud: [second, audience] }))).toBe(200);
      });
    });

    test.each([
      ["inside", "https://10.0.0.1/jwks"],
      ["on plain http", "http://login.example.com/jwks"],
      ["a file", "file:///etc/passwd"],
    ])("keys %s are a 422", async (_, jwks_url) => {
      const kit = await started();
      const store = await startStore(kit);

      const reply = await kit.post(`${store.path}/store/issuers`, {
        name: "login",
        issuer: "https://login.example.com",
        audience: "a",
        jwks_url,
      });

      expect(reply.status).toBe(422);
    });
  });
});
