/** Cloud identities in the form of a registry: the fields of each source, and secrets that are kept. */
import { expect, test } from "bun:test";
import type { Registry } from "../../src/contract/gateway/registries.ts";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit();
const open = sharedBrowser();

test("a registry is created with an AWS identity, and changed without its secret", async () => {
  const kit = await started();
  const gateway = await kit.make("/v1/gateways", { name: "Clouds" });
  const path = `/gateways/${gateway.id}/registries`;
  await using opened = await open(kit);
  const { page, go, violations } = opened;
  await go(`${path}/new`);

  await page.getByLabel("Provider").selectOption("bedrock");
  await page.getByLabel("Name", { exact: true }).fill("Bedrock");
  await page.getByLabel("Region", { exact: true }).fill("eu-central-1");
  await page.getByLabel("Credential").selectOption({ label: "AWS identity" });
  await page.getByLabel("Access key ID").fill("AKIAIOSFODNN7EXAMPLE");
  await page.getByLabel("Secret access key").fill("planted-secret-access-key");
  expect(await page.getByLabel("Secret access key").getAttribute("type")).toBe("password");
  await page.getByLabel("Role ARN (optional)").fill("arn:aws:iam::123456789012:role/gateway");
  await page.getByRole("button", { name: "Create registry" }).click();
  await page.getByRole("link", { name: "Bedrock" }).click();
  await page.getByLabel("External ID (optional)").fill("tenant-7");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();

  const { items } = (await (await kit.get(`/v1${path}`)).json()) as { items: Registry[] };
  expect(items[0]?.auth).toEqual({
    type: "aws",
    source: "access_key",
    access_key_id: "AKIAIOSFODNN7EXAMPLE",
    secret_access_key: "***-key",
    role_arn: "arn:aws:iam::123456789012:role/gateway",
    external_id: "tenant-7",
    session_name: "portcullis",
  });
  const { identity } = kit.deps.snapshot().registries.get(items[0]?.id ?? "")?.upstream ?? {};
  expect(identity).toMatchObject({ secret_access_key: "planted-secret-access-key" });
  expect(violations).toEqual([]);
});

test("only the fields of the selected source are shown", async () => {
  const kit = await started();
  const gateway = await kit.make("/v1/gateways", { name: "Sources" });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/gateways/${gateway.id}/registries/new`);

  await page.getByLabel("Provider").selectOption("azure");
  await page.getByLabel("Credential").selectOption({ label: "Microsoft Entra identity" });
  expect(await page.getByLabel("Client secret").count()).toBe(1);
  await page.getByLabel("Source").selectOption("managed_identity");
  expect(await page.getByLabel("Client secret").count()).toBe(0);
  expect(await page.getByLabel("Tenant ID").count()).toBe(0);
  await page.getByLabel("Provider").selectOption("vertex");
  expect(await page.getByLabel("Credential", { exact: true }).count()).toBe(0);
  await page.getByLabel("Source").selectOption("metadata");
  await page.getByLabel("Name", { exact: true }).fill("Vertex");
  await page.getByLabel("Project").fill("acme-prod");
  await page.getByLabel("Location").fill("global");
  await page.getByRole("button", { name: "Create registry" }).click();
  await page.getByRole("link", { name: "Vertex" }).waitFor();
});
