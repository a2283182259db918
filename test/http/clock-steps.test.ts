/** Event times follow the clock when it is set forward by mistake and corrected. */
import { afterEach, expect, setSystemTime, test } from "bun:test";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";

const kit = sharedKit();
const HOUR_MS = 3_600_000;
afterEach(() => void setSystemTime());

/** Calls `work` while the clock is an hour ahead and again after it was corrected. */
async function whileAheadAndAfter(work: () => Promise<unknown>): Promise<Date> {
  const began = new Date();
  setSystemTime(new Date(began.getTime() + HOUR_MS));
  await work();
  setSystemTime();
  await work();
  return began;
}

test("requests have the time of the clock, and are found by it", async () => {
  const consumer = await makeConsumer(await kit(), []);
  const path = `/v1/gateways/${consumer.gateway.id}/requests`;
  const times = async (query: string) => {
    const { items } = (await (await (await kit()).get(`${path}?${query}`)).json()) as {
      items: { time: string }[];
    };
    return items.map(({ time }) => Date.parse(time));
  };

  const began = await whileAheadAndAfter(() => consumer.get("/v1/models"));
  await until(async () => (await times("")).length === 2);

  const [ahead = 0, after = 0] = await times("");
  expect(ahead - began.getTime()).toBeWithin(HOUR_MS, HOUR_MS + 60_000);
  expect(after - began.getTime()).toBeWithin(0, 60_000);
  const inAMinute = new Date(began.getTime() + 60_000).toISOString();
  expect(await times(`to=${inAMinute}`)).toEqual([after]);
  expect(await times(`from=${inAMinute}`)).toEqual([ahead]);
});

test("evaluations have the time of the clock", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const times = async () => {
    const reply = await (await kit()).get("/v1/activity?consumer_id=stepped");
    const { items } = (await reply.json()) as { items: { time: string }[] };
    return items.map(({ time }) => Date.parse(time));
  };

  const began = await whileAheadAndAfter(() =>
    guard.evaluate({ payload: { input: "hello" }, consumer_id: "stepped" }),
  );
  await until(async () => (await times()).length === 2);

  const [ahead = 0, after = 0] = await times();
  expect(ahead - began.getTime()).toBeWithin(HOUR_MS, HOUR_MS + 60_000);
  expect(after - began.getTime()).toBeWithin(0, 60_000);
});
