/** The figures that matter most as bars, in an SVG file that reads on a light and on a dark page. */
import { addedMs, rowOf, type Table, tableOf } from "./report.ts";
import { CHAT, STREAM } from "./workloads.ts";

interface Panel {
  title: string;
  unit: string;
  bars: { name: string; value: number }[];
}

const WIDTH = 720;
const NAME_WIDTH = 110;
const VALUE_WIDTH = 90;
const ROW = 26;
const TITLE = 40;

export function chart(tables: readonly Table[]): string {
  const chat = tableOf(tables, CHAT);
  const stream = tableOf(tables, STREAM);
  const gateways = chat.rows.map(({ name }) => name).filter((name) => name !== "direct");
  const panels: Panel[] = [
    {
      title: "CPU per chat request (µs, less is better)",
      unit: "µs",
      bars: gateways.map((name) => ({ name, value: rowOf(chat, name).cpu_us ?? 0 })),
    },
    {
      title: "Added to the time to the first chunk of a stream (ms, less is better)",
      unit: "ms",
      bars: gateways.map((name) => ({ name, value: Math.max(0, addedMs(stream, name)) })),
    },
  ];
  let top = 0;
  const drawn = panels.map((panel) => {
    const text = panelText(panel, top);
    top += TITLE + panel.bars.length * ROW + 12;
    return text;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" font-family="sans-serif" font-size="14">
<style>
  text { fill: #24292f } rect { fill: #8c959f } .ours { fill: #0969da }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #6e7681 } .ours { fill: #4493f8 } }
</style>
${drawn.join("\n")}
</svg>
`;
}

function panelText({ title, unit, bars }: Panel, top: number): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const room = WIDTH - NAME_WIDTH - VALUE_WIDTH;
  const rows = bars.map(({ name, value }, index) => {
    const y = top + TITLE + index * ROW;
    const width = Math.max(1, (value / most) * room).toFixed(1);
    const shown = value >= 10 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
    const ours = name === "Portcullis" ? ' class="ours"' : "";
    return `<text x="${NAME_WIDTH - 8}" y="${y + 14}" text-anchor="end">${name}</text>
<rect x="${NAME_WIDTH}" y="${y}" width="${width}" height="18"${ours}/>
<text x="${NAME_WIDTH + Number(width) + 6}" y="${y + 14}">${shown} ${unit}</text>`;
  });
  return [`<text x="0" y="${top + 24}" font-weight="bold">${title}</text>`, ...rows].join("\n");
}
