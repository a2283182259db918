/** Feedback in the console: marks in Activity, and exemptions of a policy. */
import { expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit();
const open = sharedBrowser();
const INPUT = { payload: { input: "Write to ana@example.com, please." } };

test("a finding marked incorrect in Activity is exempt until its exemption is deleted", async () => {
  const kit = await started();
  const guard = await makeGuardWithRules(kit, "data_loss_prevention");
  const { request_id } = await guard.evaluate(INPUT);
  await using opened = await open(kit);
  const { page, go, move } = opened;
  await go(`/activity?range=all&open=${request_id}`);
  const sheet = page.getByRole("dialog", { name: "Evaluation" });

  await sheet.getByRole("button", { name: "Incorrect" }).click();
  await sheet.getByText("The policy no longer reports this text.").waitFor();
  await sheet.getByRole("button", { name: "Incorrect", pressed: true }).waitFor();
  expect((await guard.evaluate(INPUT)).status).toBe("allow");

  await move("/activity?range=all&feedback=incorrect");
  expect(await page.locator(".table tbody tr").count()).toBe(1);
  expect(await page.getByRole("list", { name: "Filters" }).textContent()).toContain(
    "Feedback: incorrect",
  );

  await move(`/policies/${guard.policy.id}?tab=exemptions`);
  expect(await page.locator(".table tbody tr").textContent()).toContain("email");
  await page.getByRole("button", { name: "Options of the exemption of email" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete exemption" }).click();
  await page.getByText("No exemptions.").waitFor();
  expect((await guard.evaluate(INPUT)).status).toBe("block");
  expect(opened.violations).toEqual([]);
});

test("an evaluation without findings can be marked, and a viewer sees marks without buttons", async () => {
  const kit = await started();
  const guard = await makeGuardWithRules(kit, "data_loss_prevention");
  const { request_id } = await guard.evaluate({ payload: { input: "Hello." } });
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "viewer of feedback",
    role: "viewer",
  });
  const address = `/activity?range=all&request_id=${request_id}&open=${request_id}`;
  await using owner = await open(kit);
  await owner.go(address);
  await owner.page.getByRole("button", { name: "Incorrect" }).click();
  await owner.page.getByRole("button", { name: "Incorrect", pressed: true }).waitFor();

  await using viewer = await open(kit, { token });
  await viewer.go(address);
  const sheet = viewer.page.getByRole("dialog", { name: "Evaluation" });
  await sheet.getByText("by First owner").waitFor();

  expect(await sheet.getByRole("button", { name: "Incorrect" }).count()).toBe(0);
});
