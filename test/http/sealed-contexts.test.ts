/** A sealed value can be decrypted only in its context: one column of one row, or one kind of token. */
import { expect, test } from "bun:test";
import { hashSecret } from "../../src/lib/crypto/secrets.ts";
import { type Kit, OWNER_TOKEN, sharedKit } from "../kit/kit.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";

const started = sharedKit();

/** Returns a sealed Store field of a principal from a database dump. */
async function sealedField(kit: Kit, typed: object): Promise<string> {
  const store = await makeMcpStore(kit);
  const auth = { type: "principal_key" };
  const { code } = await store.serve("Keyed", "http://127.0.0.1:9/mcp", { auth });
  const install = await store.install("mallory", code);
  const reply = await kit.put(`${store.path}/store/principal/installs/${install}/config`, {
    values: { api_key: JSON.stringify(typed) },
  });
  expect(reply.status).toBe(200);
  const row = await kit.db.one<{ config: string }>(
    "SELECT config FROM store_installs WHERE id = $1",
    install,
  );
  return JSON.parse(row?.config ?? "{}").api_key;
}

const ends = Date.now() + 3_600_000;

test("a Store field from a database dump is not accepted as an owner's session cookie", async () => {
  const kit = await started();
  const field = await sealedField(kit, { hash: hashSecret(OWNER_TOKEN), ends });

  const reply = await fetch(`${kit.url}/v1/whoami`, {
    headers: { cookie: `portcullis_session=${field}` },
  });

  expect(reply.status).toBe(401);
});

test("a Store field from a database dump is not accepted as a service token", async () => {
  const kit = await started();
  const gateway = await kit.make("/v1/gateways", { name: "guarded" });
  const collector = await kit.make("/v1/collectors", { name: "c", gateway_id: gateway.id });
  const client = await kit.make(`/v1/collectors/${collector.id}/service-clients`, { name: "s" });
  const field = await sealedField(kit, { client_id: client.id, ends });
  const authorization = `Bearer pt_${Buffer.from(field).toString("base64url")}`;

  const body = { payload: {}, gateway_id: gateway.id };
  const reply = await kit.post("/v1/evaluate", body, { authorization });

  expect(reply.status).toBe(401);
});

test("a registry does not send the credential of another registry", async () => {
  const kit = await started();
  const { id } = await kit.make("/v1/gateways", { name: "g" });
  const registry = (name: string) =>
    kit.make(`/v1/gateways/${id}/registries`, {
      name,
      provider: "openai",
      auth: { type: "api_key", api_key: `sk-${name}-0123456789` },
    });
  const [own, other] = [await registry("own"), await registry("other")];

  await kit.db.run(
    "UPDATE registries SET auth = (SELECT auth FROM registries WHERE id = $1) WHERE id = $2",
    ...[other.id, own.id],
  );
  await kit.make("/v1/gateways", { name: "later" });

  const registries = kit.deps.snapshot().registries;
  expect(registries.get(other.id)?.upstream.api_key).toBe("sk-other-0123456789");
  expect(registries.get(own.id)?.problem).toContain("cannot be decrypted");
});
