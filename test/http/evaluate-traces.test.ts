/** An evaluation can be found by its ids in the log, and by its session in Activity. */
import { describe, expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { OWNER_TOKEN, sharedKit } from "../kit/kit.ts";

interface Line {
  event: string;
  level: string;
  request_id: string;
}

describe.each(["sqlite", "postgres"] as const)("on %s", (database) => {
  const kit = sharedKit({ database });
  const linesOf = async (request_id: string): Promise<Line[]> =>
    (await kit()).lines
      .map((line): Line => JSON.parse(line))
      .filter((line) => line.request_id === request_id);

  test("every evaluation is one log line at the default level, with its ids", async () => {
    const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
    const body = { payload: { input: "Card 4111 1111 1111 1111" } };
    const alone = await guard.evaluate(body);
    const batch = await (await guard.send([body, body], {}, "/v1/evaluate/batch")).json();
    const { collector_key } = guard.collector;
    const playground = { authorization: `Bearer ${OWNER_TOKEN}`, "x-ag-playground": "1" };
    const unrecorded = await (await guard.send({ ...body, collector_key }, playground)).json();

    for (const { request_id, trace_id, status } of [alone, ...batch]) {
      const expected = { event: "evaluation", level: "info", trace_id, request_id, status };
      expect(await linesOf(request_id)).toMatchObject([expected]);
    }
    expect(await linesOf(unrecorded.request_id)).toMatchObject([{ event: "evaluation" }]);
    expect((await kit()).lines.join("")).not.toContain("4111 1111");
  });

  test("a session id that the client does not send is generated, stored and searchable", async () => {
    const shared = await kit();
    const guard = await makeGuardWithRules(shared, "data_loss_prevention");
    const { request_id } = await guard.evaluate({ payload: { input: "a" } });
    await guard.evaluate({ payload: { input: "b" }, session_id: request_id });

    const found = await (await shared.get(`/v1/activity?session_id=${request_id}`)).json();

    expect(found.items.map((event: { session_id: string }) => event.session_id)).toEqual([
      request_id,
      request_id,
    ]);
  });
});
