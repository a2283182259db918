/** The figures that matter most as bars. */
import { drawBars } from "../bar-chart.ts";
import { addedMs, rowOf, type Table, tableOf } from "./report.ts";
import { CHAT, STREAM } from "./workloads.ts";

const NAME_WIDTH = 110;

export function chart(tables: readonly Table[]): string {
  const chat = tableOf(tables, CHAT);
  const stream = tableOf(tables, STREAM);
  const gateways = chat.rows.map(({ name }) => name).filter((name) => name !== "direct");
  const bar = (name: string, value: number) => ({ name, value, isOurs: name === "Portcullis" });
  const panels = [
    {
      title: "CPU per chat request (µs, less is better)",
      unit: "µs",
      bars: gateways.map((name) => bar(name, rowOf(chat, name).cpu_us ?? 0)),
    },
    {
      title: "Added to the time to the first chunk of a stream (ms, less is better)",
      unit: "ms",
      bars: gateways.map((name) => bar(name, Math.max(0, addedMs(stream, name)))),
    },
  ];
  return drawBars(panels, NAME_WIDTH);
}
