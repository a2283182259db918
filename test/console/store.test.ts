/** Store of a gateway in the console: requests, access rules, catalog and personal tokens. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { startStore } from "../kit/store.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

test("4.1.2 an approver selects an instance and an expiry, and the approval creates the install", async () => {
  const kit = await started();
  const store = await startStore(kit, "request");
  await store.instance("pub", "Europe");
  await store.instance("pub", "America");
  await store.install({ code: "site", reason: "An earlier wish" });
  await store.install({ code: "pub", groups: ["oncall"], reason: "For the night shift" });
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "Decides",
    role: "approver",
  });
  await using opened = await open(kit, { token });
  const { page, go } = opened;
  const rows = page.locator(".table tbody tr");
  const details = page.getByRole("region", { name: "Selected approval" });
  await go(`/gateways/${store.gateway.id}/registries`);

  await page.getByRole("link", { name: "Store 2 pending" }).click();
  await rows.nth(1).waitFor();
  expect(await rows.nth(1).textContent()).toMatch(/aliceoncallpubFor the night shiftpending/);
  await rows.nth(1).getByRole("link").click();
  await details.getByText("alice requests Server pub").waitFor();
  await details.getByRole("button", { name: "Approve" }).click();
  await details.getByRole("alert").waitFor();
  expect(await details.getByLabel("Instance").getAttribute("aria-invalid")).toBe("true");
  expect(await details.locator(".problem").textContent()).toBe(
    "required, because the server has several instances",
  );
  expect(await details.textContent()).toMatch(/Other requests of alicepending\s*site/);
  await details.getByLabel("Instance").selectOption("America pub");
  await details.getByLabel("Access expires").selectOption("In 30 days");
  await details.getByRole("button", { name: "Approve" }).click();

  await page.getByText("The request of alice was approved.").waitFor();
  await page.getByRole("link", { name: "Store 1 pending" }).waitFor();
  const installs = await store.installed();
  expect(installs).toMatchObject([
    { code: "pub", principal_sub: "alice", instance_id: store.id("America"), state: "active" },
  ]);
  const days = (Date.parse(String(installs[0]?.ends_at)) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  await go(`/gateways/${store.gateway.id}/store?tab=installs`);
  await rows.getByText("America pub").waitFor();
  expect(await page.getByRole("button", { name: /^Options of/ }).count()).toBe(0);
  expect(opened.violations).toEqual([]);
});

test("4.1.2 rejecting requires a note, which is stored with the request", async () => {
  const kit = await started();
  const store = await startStore(kit, "request");
  await store.install({ code: "pub", reason: "Please" });
  await using opened = await open(kit);
  const { page, go } = opened;
  const details = page.getByRole("region", { name: "Selected approval" });
  await go(`/gateways/${store.gateway.id}/store`);

  await page.locator("tbody a").click();
  await details.getByRole("button", { name: "Reject" }).click();
  await details.getByRole("alert").waitFor();
  expect(await details.getByLabel("Note").getAttribute("aria-invalid")).toBe("true");
  await details.getByLabel("Note").fill("Use the mirror");
  await details.getByRole("button", { name: "Reject" }).click();

  await page.getByText("The request of alice was rejected.").waitFor();
  await go(`/gateways/${store.gateway.id}/store`);
  await page.getByText("No pending requests.").waitFor();
  await page.getByLabel("State").selectOption("Rejected");
  await page.locator("tbody a").click();
  await details.getByText("Use the mirror").waitFor();
  expect(await details.textContent()).toContain("NoteUse the mirror");
  expect(await store.installed()).toEqual([]);
});

test("an access rule is created, explained and deleted; then the default level applies", async () => {
  const kit = await started();
  const store = await startStore(kit, "request");
  const url = "https://mcp.example.com/mcp";
  for (const name of ["Linter", "Runner"]) {
    const entry = { code: name.toLowerCase(), name, category: "testing", url };
    await kit.make(`${store.path}/store/catalog`, entry);
  }
  for (const [principal_sub, groups] of [
    ["bo", ["oncall"]],
    ["ann", ["sales", "oncall"]],
  ]) {
    await store.install({ code: "pub", principal_sub, groups });
  }
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/gateways/${store.gateway.id}/store?tab=access`);
  const explain = async () => {
    await page.getByRole("button", { name: "Explain" }).click();
    await page.locator("body:not(:has([aria-busy=true]))").waitFor();
  };

  await page.getByRole("button", { name: "New rule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Subject").selectOption("Group");
  await dialog.getByLabel("Group", { exact: true }).fill("oncall");
  await dialog.getByText("2 known people in this group.").waitFor();
  const options = (of: string) =>
    dialog.locator(`datalist option[value="${of}"]`).getAttribute("label");
  expect(await options("oncall")).toBe("2 known people");
  await dialog.getByLabel("Target").selectOption("Category");
  await dialog.getByLabel("Category", { exact: true }).selectOption("testing (2)");
  await dialog.getByText("Matches 2 servers: Linter, Runner.").waitFor();
  await dialog.getByLabel("Target").selectOption("Server");
  await dialog.getByLabel("Server", { exact: true }).fill("pub");
  await dialog.getByText("Matches 1 server: Server pub.").waitFor();
  await dialog.getByLabel("Level").selectOption("install: without approval");
  await dialog.getByRole("button", { name: "Create rule" }).click();
  await page.getByRole("rowheader", { name: "group oncall" }).waitFor();

  await page.getByLabel("Person", { exact: true }).fill("bo");
  await page.getByLabel("Groups (optional)").fill("sales, oncall");
  await page.getByLabel("Server", { exact: true }).fill("no-such");
  await explain();
  await page.getByText('The catalog has no server with the code "no-such".').waitFor();
  await page.getByLabel("Server", { exact: true }).fill("pub");
  await explain();
  await page
    .getByText(
      "bo has the level install for pub: the rule for group oncall and server pub applies.",
    )
    .waitFor();

  await page.getByRole("button", { name: "Options of the rule for group oncall" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await dialog.getByRole("button", { name: "Delete rule" }).click();
  await page.getByText("The rule was deleted.").waitFor();
  await page.getByLabel("Level if no rule matches").selectOption("none: not allowed");
  await page.getByRole("button", { name: "Save…" }).click();
  await dialog.getByText("The change applies to everyone at once.").waitFor();
  await dialog.getByRole("button", { name: "Change default level" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  await explain();
  await page.getByText("no rule matches, and the default level is none.").waitFor();

  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByLabel("Search name, actor or action").fill("oncall");
  const event = (text: string) => page.getByRole("cell", { name: text }).first();
  await event("First owner created the access rule for group oncall and code pub.").waitFor();
  await page.getByLabel("Resource").selectOption("Gateways");
  await page.getByText("No matches.").waitFor();
  await page.getByLabel("Search name, actor or action").fill("");
  await event("First owner changed the gateway g: store.").waitFor();
  await page.getByLabel("Actor", { exact: true }).fill("First owner");
  await event("created the gateway g").getByRole("link", { name: "g" }).click();
  await page.getByRole("heading", { name: "g", exact: true, level: 1 }).waitFor();
  expect(opened.violations).toEqual([]);
});

test("a server can be hidden in the catalog; a personal token is shown once and works", async () => {
  const kit = await started();
  const store = await startStore(kit, "install");
  await store.instance("pub", "Europe");
  await using opened = await open(kit);
  const { page, go, move } = opened;
  const here = `/gateways/${store.gateway.id}/store`;
  await go(`${here}?tab=catalog&q=server&source=custom`);

  await page.getByRole("link", { name: "Europe pub" }).waitFor();
  await page.getByRole("button", { name: "Hide Server pub" }).click();
  await page.getByText("Server pub is now hidden.").waitFor();
  await page.getByLabel("Status").selectOption("Hidden");
  await page.getByRole("button", { name: "Show Server pub" }).waitFor();
  await page.getByRole("rowheader", { name: "Server oauth" }).waitFor({ state: "detached" });

  await move(`${here}?tab=tokens`);
  await page.getByRole("button", { name: "New personal token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByLabel("Person").fill("alice");
  await dialog.getByLabel("Groups (optional)").fill("oncall, sales");
  await dialog.getByRole("button", { name: "Create personal token" }).click();
  await page.getByRole("heading", { name: "Token Laptop" }).waitFor();
  const curl = (await dialog.locator("code").nth(1).textContent()) ?? "";
  const listed = await Bun.$`sh -c ${`${curl} -s`}`.json();
  expect(JSON.stringify(listed)).toContain("com.airtable/mcp");
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  expect(await page.locator(".table tbody tr").textContent()).toMatch(/Laptopaliceoncallsales/);
  await page.getByRole("button", { name: "Options of Laptop" }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await dialog.getByRole("button", { name: "Revoke personal token" }).click();
  await page.getByText("Personal token Laptop was revoked.").waitFor();
  expect(opened.violations).toEqual([]);
});
