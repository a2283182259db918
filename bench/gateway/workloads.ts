/** The four kinds of traffic that every contender is measured with. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openConnection } from "./connection.ts";
import type { Contender, Setting, Target } from "./contenders.ts";
import { form, MIB } from "./form.ts";

/** One pass of one workload. */
export interface Pass {
  requests: number;
  failed: number;
  seconds: number;
  p50_ms: number;
  p99_ms: number;
}

export interface Workload {
  name: string;
  /** Meaning of the milliseconds. */
  span: string;
  /** Duration of one pass. */
  seconds: number;
  pass: (setting: Setting, contender: Contender, seconds: number) => Promise<Pass>;
}

export const CHAT_MODEL = "gpt-4o-mini";
export const IMAGE_MODEL = "gpt-image-1";
export const SPEECH_MODEL = "whisper-1";

export const CHAT = "Chat: 1 KB requests, 1 KB responses, 32 connections";
export const STREAM = "Stream: 20 chunks, 16 streams at once";
export const IMAGE = "Image: a response of 4 MiB, 8 connections";

export const workloads: readonly Workload[] = [
  {
    name: CHAT,
    span: "complete response",
    seconds: 3,
    pass: (setting, { target }, seconds) =>
      wrk(setting, target("plain", "/v1/chat/completions"), chatBody, 32, seconds),
  },
  {
    name: STREAM,
    span: "first chunk",
    seconds: 2,
    pass: (_, { target }, seconds) => streams(target("paced", "/v1/chat/completions"), 16, seconds),
  },
  {
    name: IMAGE,
    span: "complete response",
    seconds: 2,
    pass: (setting, { target }, seconds) =>
      wrk(setting, target("plain", "/v1/images/generations"), imageBody, 8, seconds),
  },
  {
    name: "Upload: a form of 64 MiB to transcribe, one after the other",
    span: "complete response",
    seconds: 2,
    pass: (_, { target }, seconds) =>
      uploads(target("paced", "/v1/audio/transcriptions"), 64 * MIB, seconds),
  },
];

/** Returns the JSON body for a gateway that may need a prefix of the model. */
type Body = (modelPrefix: string) => string;

const imageBody: Body = (modelPrefix) =>
  JSON.stringify({ model: `${modelPrefix}${IMAGE_MODEL}`, prompt: "A gate", size: "1024x1024" });

const MESSAGES = [{ role: "user", content: "A question of an ordinary length. ".repeat(26) }];
const chatBody: Body = (modelPrefix) =>
  JSON.stringify({ model: `${modelPrefix}${CHAT_MODEL}`, messages: MESSAGES });
const streamBody: Body = (modelPrefix) =>
  JSON.stringify({ model: `${modelPrefix}${CHAT_MODEL}`, messages: MESSAGES, stream: true });

async function wrk(
  { tools, folder }: Setting,
  { port, path, headers, modelPrefix = "" }: Target,
  body: Body,
  connections: number,
  seconds: number,
): Promise<Pass> {
  const script = join(folder, "wrk.lua");
  const sent = Object.entries({ ...headers, "content-type": "application/json" })
    .map(([name, value]) => `wrk.headers["${name}"] = "${value}"`)
    .join("\n");
  writeFileSync(
    script,
    `wrk.method = "POST"
    wrk.body = [[${body(modelPrefix)}]]
    ${sent}
    function done(summary, latency)
      local bad = summary.errors
      io.write(string.format('\\n{"requests":%d,"failed":%d,"seconds":%f,"p50_ms":%f,"p99_ms":%f}\\n',
        summary.requests, bad.connect + bad.read + bad.write + bad.status + bad.timeout,
        summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
    end`,
  );
  const words = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "20s", "-s", script];
  const child = Bun.spawn([tools.wrk, ...words, `http://127.0.0.1:${port}${path}`]);
  const printed = await new Response(child.stdout).text();
  const line = printed.split("\n").find((text) => text.startsWith("{"));
  if (!line) throw new Error(`wrk: ${printed}`);
  return JSON.parse(line) as Pass;
}

/** Each connection requests one stream after the other until the time is up. */
export async function streams(target: Target, connections: number, seconds: number): Promise<Pass> {
  const body = Buffer.from(streamBody(target.modelPrefix ?? ""));
  const head = headOf(target, "application/json", body.length);
  const began = performance.now();
  const end = began + seconds * 1000;
  const firsts: number[] = [];
  let failed = 0;
  const one = async (_: unknown, index: number) => {
    await Bun.sleep(index * 6); // not all in step
    const connection = await openConnection(target.port);
    while (performance.now() < end) {
      const { status, text, first_ms } = await connection.ask(head, [body]);
      firsts.push(first_ms);
      if (status !== 200 || !text.includes("[DONE]")) failed += 1;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, one));
  return passOf(firsts, failed, began);
}

async function uploads(target: Target, size: number, seconds: number): Promise<Pass> {
  const model = { name: "model", value: `${target.modelPrefix ?? ""}${SPEECH_MODEL}` };
  const connection = await openConnection(target.port);
  const began = performance.now();
  const times: number[] = [];
  let failed = 0;
  while (performance.now() < began + seconds * 1000) {
    const { type, length, parts } = form([model, { size }]);
    const { status, text, total_ms } = await connection.ask(headOf(target, type, length), parts);
    times.push(total_ms);
    const arrived = Number(/(\d+) bytes have arrived/.exec(text)?.[1] ?? 0);
    if (status !== 200 || arrived < size) failed += 1;
  }
  connection.close();
  return passOf(times, failed, began);
}

export function headOf({ port, path, headers }: Target, type: string, length: number): string {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    ...headers,
    "content-type": type,
    "content-length": String(length),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

function passOf(times: number[], failed: number, began: number): Pass {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, (sorted.length * share) | 0)] ?? 0;
  const seconds = (performance.now() - began) / 1000;
  return { requests: times.length, failed, seconds, p50_ms: at(0.5), p99_ms: at(0.99) };
}
