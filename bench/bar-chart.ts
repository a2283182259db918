/** Draws figures as bars, in an SVG file that is readable on a light and on a dark page. */

export interface Panel {
  title: string;
  unit: string;
  bars: { name: string; value: number; isOurs: boolean }[];
}

const WIDTH = 720;
const VALUE_WIDTH = 90;
const ROW = 26;
const TITLE = 40;

/** Draws our bars in another color. */
export function drawBars(panels: readonly Panel[], nameWidth: number): string {
  let top = 0;
  const drawn = panels.map((panel) => {
    const text = drawPanel(panel, top, nameWidth);
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

function drawPanel({ title, unit, bars }: Panel, top: number, nameWidth: number): string {
  const highest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const room = WIDTH - nameWidth - VALUE_WIDTH;
  const rows = bars.map(({ name, value, isOurs }, index) => {
    const y = top + TITLE + index * ROW;
    const width = Math.max(1, (value / highest) * room).toFixed(1);
    const shown = value >= 10 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
    const ours = isOurs ? ' class="ours"' : "";
    return `<text x="${nameWidth - 8}" y="${y + 14}" text-anchor="end">${name}</text>
<rect x="${nameWidth}" y="${y}" width="${width}" height="18"${ours}/>
<text x="${nameWidth + Number(width) + 6}" y="${y + 14}">${shown}${unit && ` ${unit}`}</text>`;
  });
  return [`<text x="0" y="${top + 24}" font-weight="bold">${title}</text>`, ...rows].join("\n");
}
