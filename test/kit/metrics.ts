/** Parses /metrics strictly by the text format. */
import { OWNER_TOKEN } from "./kit.ts";

/** By name and labels as they are written: `portcullis_requests_total{plane="gateway",status="2xx"}`. */
export type Series = Map<string, number>;

export async function readMetrics(url: string): Promise<Series> {
  const reply = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${OWNER_TOKEN}` },
  });
  if (!reply.ok) throw new Error(`/metrics: ${reply.status} ${await reply.text()}`);
  return parseMetrics(await reply.text());
}

const HELP = /^# HELP ([a-z_]+) \S.*$/;
const TYPE = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/;
const SAMPLE =
  /^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,(?=[a-z])|(?=\})))+\})? (-?[\d.e+-]+)$/;

export function parseMetrics(text: string): Series {
  const series: Series = new Map();
  const seen = new Set<string>();
  let [name, type, helped] = ["", "", ""];
  if (!text.endsWith("\n")) throw new Error("The last line has no end.");
  for (const line of text.slice(0, -1).split("\n")) {
    const help = HELP.exec(line);
    const typed = TYPE.exec(line);
    const sample = SAMPLE.exec(line);
    if (help) {
      helped = help[1] ?? "";
    } else if (typed) {
      [, name = "", type = ""] = typed;
      if (helped !== name || seen.has(name)) throw new Error(`Out of place: ${line}`);
      seen.add(name);
    } else if (sample) {
      const [, sampled = "", labels = "", value] = sample;
      const own = type === "histogram" ? sampled.replace(/_(bucket|sum|count)$/, "") : sampled;
      if (own !== name || series.has(sampled + labels)) throw new Error(`Out of place: ${line}`);
      series.set(sampled + labels, Number(value));
    } else {
      throw new Error(`Not a line of the text format: ${line}`);
    }
  }
  return series;
}
