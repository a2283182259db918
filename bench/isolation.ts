/** Isolation: how long a request waits beside hostile callers, and the memory that they take (decision 0003, section 6). */
import { gzipSync } from "node:zlib";
import { atMost, type Check } from "./checks.ts";
import { machineText } from "./gateway/report.ts";
import { proseOf } from "./guard/prose.ts";
import { hostileText } from "./isolation/hostile-text.ts";
import { type Caller, createMaskRule, type Lab, startLab } from "./isolation/lab.ts";

interface Scenario {
  what: string;
  prepare: (lab: Lab) => Promise<Load>;
}

interface Load {
  /** Sends the requests of the hostile callers, and returns their statuses. */
  attack: () => Promise<number[]>;
  /** Sends a request of another caller. */
  probe: () => Promise<number>;
}

const MAX_DELAY_S = 2;
/** Six times the default of IN_FLIGHT_MIB, as docs/settings.md says. */
const MAX_MIB = 6 * 512;
const quick = process.argv.includes("--quick");
/** Every fifth caller and request in a quick run. */
const many = (count: number) => (quick ? Math.ceil(count / 5) : count);

const jsonOf = (body: object): Buffer => Buffer.from(JSON.stringify(body));
const chatOf = (content: string): Buffer =>
  jsonOf({ payload: { messages: [{ role: "user", content }] } });
const documentOf = (text: string) => ({
  payload: { attachments: [{ name: "a.gz", data: gzipSync(text).toString("base64") }] },
});

const LONG_CHAT = chatOf(proseOf(300_000, 2));
const SHORT_CHAT = chatOf(proseOf(72_000, 3));
const HOSTILE_CHAT = chatOf(hostileText(1_000_000));
const HUGE_CHAT = chatOf(hostileText(1_100_000));
const DOCUMENT = jsonOf(documentOf(proseOf(3000, 4)));
const WITH_DOCUMENT = jsonOf({
  payload: { input: proseOf(900_000, 5), ...documentOf(proseOf(30_000, 7)).payload },
});
/** 7 KB of gzip. */
const LARGE_DOCUMENT = jsonOf(documentOf(hostileText(2_000_000)));
/** A batch of more than 1 MiB. */
const DOCUMENTS = jsonOf([
  { payload: { input: proseOf(1_100_000, 6) } },
  ...Array.from({ length: 24 }, () => documentOf(hostileText(200_000))),
]);

const BATCH_PATH = "/v1/evaluate/batch";
const textsOf = (count: number) => ({ payload: { input: Array<string>(count).fill("a1b4") } });
/** 7,500 texts in 60 KB. Its evaluations are distributed to the workers. */
const SHORT_TEXTS = jsonOf(Array.from({ length: 99 }, () => textsOf(75)));
/** More than 1 MiB. */
const MANY_TEXTS = jsonOf([
  ...Array.from({ length: 99 }, () => textsOf(950)),
  { payload: { input: proseOf(500_000, 8) } },
]);
const TEXTS = jsonOf(textsOf(49_000));

const CHAT_PATH = "/v1/chat/completions";
const streamOf = (model: string): Buffer =>
  jsonOf({ model, stream: true, messages: [{ role: "user", content: "Hello" }] });

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

/** Each of several collectors sends a body a number of times at once. */
async function collectorsSend(
  lab: Lab,
  { collectors, each, body, path = "/v1/evaluate" }: Attack,
): Promise<Load["attack"]> {
  const callers = await times(collectors, () => lab.addCollector());
  return async () => (await times(each, () => sendAll(callers, path, body))).flat();
}

interface Attack {
  collectors: number;
  each: number;
  body: Buffer;
  path?: string;
}

const TWO_BATCHES = { collectors: 2, each: 1, path: BATCH_PATH };

const sendAll = (callers: readonly Caller[], path: string, body: Buffer): Promise<number[]> =>
  Promise.all(callers.map(({ send }) => send(path, body)));

async function probeCollector(lab: Lab, body: Buffer): Promise<Load["probe"]> {
  const { send } = await lab.addCollector();
  return () => send("/v1/evaluate", body);
}

const scenarios: readonly Scenario[] = [
  {
    what: "`/healthz` beside 1,000 connections of a collector with hostile texts of 400 bytes",
    prepare: async (lab) => {
      const { send } = await lab.addCollector();
      const body = chatOf(hostileText(340));
      const sendInTurn = async () => {
        const statuses: number[] = [];
        for (let count = 0; count < 5; count += 1) statuses.push(await send("/v1/evaluate", body));
        return statuses;
      };
      return {
        attack: async () => (await times(many(1000), sendInTurn)).flat(),
        probe: () => lab.owner.send("/healthz"),
      };
    },
  },
  ...[1, 2].map((collectors) => ({
    what: `Chat of 300 KB beside 12 hostile texts of 1 MB of each of ${collectors} collectors`,
    prepare: async (lab: Lab) => ({
      attack: await collectorsSend(lab, { collectors, each: many(12), body: HOSTILE_CHAT }),
      probe: await probeCollector(lab, LONG_CHAT),
    }),
  })),
  {
    what: "Chat of 72 KB beside 30 of 1 MB with a document of each of 3 collectors",
    prepare: async (lab) => ({
      attack: await collectorsSend(lab, { collectors: 3, each: many(30), body: WITH_DOCUMENT }),
      probe: await probeCollector(lab, SHORT_CHAT),
    }),
  },
  {
    what: "Document beside 4 hostile texts of 1.1 MB of each of 2 collectors",
    prepare: async (lab) => ({
      attack: await collectorsSend(lab, { collectors: 2, each: many(4), body: HUGE_CHAT }),
      probe: await probeCollector(lab, DOCUMENT),
    }),
  },
  ...[2, 6].map((collectors) => ({
    what: `Document beside 4 with 2,000,000 hostile characters of each of ${collectors} collectors`,
    prepare: async (lab: Lab) => ({
      attack: await collectorsSend(lab, { collectors, each: many(4), body: LARGE_DOCUMENT }),
      probe: await probeCollector(lab, DOCUMENT),
    }),
  })),
  {
    what: "Document beside batches of 24 documents of 2 collectors",
    prepare: async (lab) => ({
      attack: await collectorsSend(lab, { ...TWO_BATCHES, body: DOCUMENTS }),
      probe: await probeCollector(lab, DOCUMENT),
    }),
  },
  {
    what: "Document beside batches of 94,000 short texts of 2 collectors",
    prepare: async (lab) => ({
      attack: await collectorsSend(lab, { ...TWO_BATCHES, body: MANY_TEXTS }),
      probe: await probeCollector(lab, DOCUMENT),
    }),
  },
  {
    what: "Document beside 4 bodies of 49,000 short texts of each of 2 collectors",
    prepare: async (lab) => ({
      attack: await collectorsSend(lab, { collectors: 2, each: many(4), body: TEXTS }),
      probe: await probeCollector(lab, DOCUMENT),
    }),
  },
  {
    what: "Chat of 72 KB beside 6 batches of 7,500 short texts of each of 2 collectors",
    prepare: async (lab) => ({
      attack: await collectorsSend(lab, { ...TWO_BATCHES, each: many(6), body: SHORT_TEXTS }),
      probe: await probeCollector(lab, SHORT_CHAT),
    }),
  },
  {
    what: "List of gateways beside 50 consumers that abandon streams of 1 MB",
    prepare: async (lab) => {
      const rules = [...lab.rules.output, await createMaskRule(lab.admin)];
      const callers = await times(many(50), () => lab.addConsumer("exact", rules));
      const body = streamOf("hostile-1");
      const abandon = async ({ send }: Caller) => {
        const statuses: number[] = [];
        for (let count = 0; count < 4; count += 1) statuses.push(await send(CHAT_PATH, body, 1));
        return statuses;
      };
      return {
        attack: async () => (await Promise.all(callers.map(abandon))).flat(),
        probe: () => lab.owner.send("/v1/gateways"),
      };
    },
  },
  {
    what: "Masked stream of 750 events beside 8 hostile streams of 3 MB of a consumer",
    prepare: async (lab) => {
      const rules = [...lab.rules.output, await createMaskRule(lab.admin)];
      const hostile = await lab.addConsumer("exact", rules);
      const other = await lab.addConsumer("exact", rules);
      return {
        attack: () => times(many(8), () => hostile.send(CHAT_PATH, streamOf("hostile-3"))),
        probe: () => other.send(CHAT_PATH, streamOf("short")),
      };
    },
  },
  ...(["observe", "exact"] as const).map((stream) => {
    const count = stream === "observe" ? 800 : 250;
    return {
      what: `\`/healthz\` beside ${count} hostile streams of 3 MB, ${stream}`,
      prepare: async (lab: Lab) => {
        const { send } = await lab.addConsumer(stream, lab.rules.output);
        return {
          attack: () => times(many(count), () => send(CHAT_PATH, streamOf("hostile-3"))),
          probe: () => lab.owner.send("/healthz"),
        };
      },
    };
  }),
];

export async function run(): Promise<readonly Check[]> {
  console.log("Isolation: each scenario on a new server, and the longest of all probes\n");
  console.log(
    "| scenario | alone s | longest s | probes | hostile responses | seconds | peak MiB |",
  );
  console.log("|---|--:|--:|--:|---|--:|--:|");
  const checks: Check[] = [];
  for (const scenario of scenarios) checks.push(...(await measure(scenario)));
  console.log(`\nMachine: ${machineText()}.`);
  return checks;
}

async function measure({ what, prepare }: Scenario): Promise<Check[]> {
  await using stack = new AsyncDisposableStack();
  const lab = await startLab(stack);
  const { attack, probe } = await prepare(lab);
  // The first ones load models and compile.
  const alone = Math.min(...(await probeUntil(probe, (count) => count === 5)));
  lab.program.resetPeak();

  const began = performance.now();
  let isOver = false;
  const attacked = attack().finally(() => {
    isOver = true;
  });
  const beside = await probeUntil(probe, () => isOver);
  const statuses = await attacked;
  const seconds = (performance.now() - began) / 1000;

  const longest = Math.max(...beside);
  const peak = lab.program.peakMib();
  const counted = Object.entries(Object.groupBy(statuses, String)).map(
    ([status, group]) => `${group?.length} × ${status}`,
  );
  console.log(
    `| ${what} | ${alone.toFixed(2)} | ${longest.toFixed(2)} | ${beside.length} | ${counted.join(", ")} | ${seconds.toFixed(0)} | ${peak.toFixed(0)} |`,
  );
  return [
    atMost(`Delay: ${what}`, longest - alone, { max: MAX_DELAY_S, unit: "s", digits: 2 }),
    atMost(`Peak: ${what}`, peak, { max: MAX_MIB, unit: "MiB", digits: 0 }),
  ];
}

/** Returns the seconds of each probe. Probes begin every 20 ms at most. */
async function probeUntil(
  probe: () => Promise<number>,
  isEnough: (count: number) => boolean,
): Promise<number[]> {
  const durations: number[] = [];
  while (!isEnough(durations.length)) {
    const began = performance.now();
    const status = await probe();
    if (status !== 200) throw new Error(`A probe was rejected: ${status}`);
    durations.push((performance.now() - began) / 1000);
    await Bun.sleep(20);
  }
  return durations;
}
