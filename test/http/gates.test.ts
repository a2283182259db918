/** The most restrictive action of all gates wins, in any order. */
import { expect, test } from "bun:test";
import { makeDetector, makeGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const gate = (action: string) => ({
  name: `${action} it`,
  when: { field: "tool.name", op: "eq", value: "pay" },
  action,
});
const PAY = { payload: { input: "5" }, attributes: { tool: { name: "pay" } } };

test.each([
  [["ask", "block"], "block", ["ask it", "block it"]],
  [["block", "ask"], "block", ["block it"]],
  [["report", "ask", "block"], "block", ["report it", "ask it", "block it"]],
  [["ask", "report"], "ask", ["ask it", "report it"]],
  [["ask", "skip", "block"], "ask", ["ask it"]],
  [["skip", "block"], "allow", []],
])("of gates %j the verdict is %s", async (actions, status, names) => {
  const guard = await makeGuard(await kit(), { gates: actions.map(gate) });

  const verdict = await guard.evaluate(PAY);

  expect(verdict.status).toBe(status as "block");
  expect(verdict.findings.map(({ source }) => source.gate_name)).toEqual(names);
});

test("a skip gate after an ask gate does not run the detectors", async () => {
  const shared = await kit();
  const { id } = await makeDetector(shared, "prompt_moderation", { keywords: ["5"] });
  const guard = await makeGuard(shared, {
    gates: [gate("ask"), gate("skip")],
    input_rules: [{ detector_id: id, action: "block" }],
  });

  expect((await guard.evaluate(PAY)).status).toBe("ask");
});

test("an approval of an ask gate does not override a block gate after it", async () => {
  const shared = await kit();
  const asking = await makeGuard(shared, { gates: [gate("ask")] });
  const { findings } = await asking.evaluate(PAY);
  const approval_id = String(findings[0]?.evidence.approval_id);
  await shared.post(`/v1/approvals/${approval_id}/decide`, { decision: "approved" });
  const policy = await (await shared.get(`/v1/policies/${asking.policy.id}`)).json();
  const gates = [gate("ask"), gate("block")];
  await shared.put(`/v1/policies/${asking.policy.id}`, { name: policy.name, gates });

  const attributes = { ...PAY.attributes, approval_id };
  const verdict = await asking.evaluate({ ...PAY, attributes });

  expect(verdict.status).toBe("block");
});
