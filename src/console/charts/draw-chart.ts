/** Draws a chart with uPlot, in the colors of the current theme. */
import uPlot from "uplot";
import { timeZone } from "../preferences.ts";
import { type ChartProps, type ChartTone, formatValue } from "./chart.tsx";
import { formatInterval, formatMark } from "./format-interval.ts";

export interface Drawing {
  remove: () => void;
}

const HEIGHT = 180;
/** Below this many pixels a drag is a click. */
const MIN_DRAG = 4;

/** A chart with its default members set. */
interface Drawn extends Pick<ChartProps, "kind" | "from" | "step_s" | "series"> {
  format: (value: number) => string;
  onSelect: ChartProps["onSelect"] | undefined;
}

export function drawChart(place: HTMLElement, chart: Drawn): Drawing {
  let plot = createPlot(place, chart);
  const resized = new ResizeObserver(() =>
    plot.setSize({ width: place.clientWidth, height: HEIGHT }),
  );
  resized.observe(place);
  const theme = matchMedia("(prefers-color-scheme: dark)");
  const redraw = () => {
    plot.destroy();
    plot = createPlot(place, chart);
  };
  theme.addEventListener("change", redraw);
  return {
    remove() {
      resized.disconnect();
      theme.removeEventListener("change", redraw);
      plot.destroy();
    },
  };
}

function createPlot(place: HTMLElement, chart: Drawn): uPlot {
  const { kind, series, step_s, format } = chart;
  // The variables have a value for each theme, which only a color property resolves.
  const color = (name: string) => {
    place.style.color = `var(${name})`;
    const resolved = getComputedStyle(place).color;
    place.style.color = "";
    return resolved;
  };
  const first = Date.parse(chart.from) / 1000;
  const count = series[0]?.values.length ?? 0;
  const starts = Array.from({ length: count }, (_, index) => first + index * step_s);
  const isStacked = kind === "stacked";
  // The highest sum is drawn first: each bar covers the part of the sum that is not its own.
  const drawn = isStacked
    ? stack(series.map(({ values }) => values))
    : series.map(({ values }) => values);
  const order = isStacked
    ? series.map((_, index) => series.length - 1 - index)
    : series.map((_, index) => index);
  const axis = {
    stroke: color("--muted"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  const options: uPlot.Options = {
    width: place.clientWidth,
    height: HEIGHT,
    // The last label is centered below the right edge.
    padding: [8, 32, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone()),
    cursor: { y: false, drag: { x: chart.onSelect !== undefined, y: false, setScale: false } },
    scales: {
      x: { time: true, range: () => [first, first + count * step_s] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        // Wider than "10:00 PM", and one line high.
        space: 72,
        size: 36,
        gap: 9,
        incrs: TIME_STEPS,
        values: (_, marks, __, ___, step) =>
          marks.map((mark) => formatMark(new Date(mark * 1000), step)),
      },
      {
        ...axis,
        size: 56,
        incrs: INTEGER_STEPS,
        values: (_, marks) => marks.map((mark) => formatAxis(mark, format)),
      },
    ],
    legend: { live: true },
    series: [
      {
        label: "Time",
        value: (_, start) => (start === null ? "" : formatInterval(new Date(start * 1000), step_s)),
      },
      ...order.flatMap((at): uPlot.Series[] => {
        const one = series[at];
        if (!one) return [];
        const stroke = color(TONE_COLORS[one.tone]);
        const shape: uPlot.Series = {
          label: one.name,
          stroke,
          width: 2,
          // A line shows a value without neighbors as a point.
          points: isStacked
            ? { show: false }
            : { show: true, size: 6, fill: stroke, filter: findIsolated(one.values) },
          value: (_, __, ___, index) =>
            formatValue(index === null ? null : one.values[index], format),
        };
        return [isStacked ? { ...shape, ...BARS, width: 0, fill: stroke } : shape];
      }),
    ],
    hooks: { setSelect: [(plot) => select(plot, chart)] },
  };
  const data = [starts, ...order.map((at) => [...(drawn[at] ?? [])])] as uPlot.AlignedData;
  const plot = new uPlot(options, data, place);
  if (chart.onSelect) plot.over.addEventListener("click", () => clickInterval(plot, chart));
  return plot;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Steps of the time axis. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30]
  .map((count) => count * MINUTE)
  .concat([1, 2, 3, 6, 12].map((count) => count * HOUR))
  .concat([1, 2, 5, 10, 30].map((count) => count * DAY));

/** Steps of the vertical axis: counts, tokens and milliseconds have no fractions. */
const INTEGER_STEPS = Array.from({ length: 13 }, (_, power) => 10 ** power).flatMap((unit) => [
  unit,
  2 * unit,
  5 * unit,
]);

const bars = uPlot.paths.bars?.({ size: [0.9, 40], align: 1 });
const BARS = bars ? { paths: bars } : {};

const TONE_COLORS: Record<ChartTone, string> = {
  plain: "--edge",
  good: "--chart-good",
  accent: "--chart-accent",
  warn: "--chart-warn",
  danger: "--chart-danger",
  other: "--chart-other",
};

/** Returns the positions of values whose neighbors are missing. */
const findIsolated = (values: readonly (number | null)[]) => (): number[] =>
  values.flatMap((value, index) =>
    value !== null && values[index - 1] == null && values[index + 1] == null ? [index] : [],
  );

/** Returns the sums of each series and those before it. */
function stack(values: readonly (readonly (number | null)[])[]): number[][] {
  const sums: number[] = [];
  return values.map((series) =>
    series.map((value, index) => {
      const sum = (sums[index] ?? 0) + (value ?? 0);
      sums[index] = sum;
      return sum;
    }),
  );
}

function select(plot: uPlot, { onSelect, step_s }: Drawn): void {
  const { left, width } = plot.select;
  if (!onSelect || width < MIN_DRAG) return;
  const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
  onSelect(
    new Date(Math.floor(from / step_s) * step_s * 1000),
    new Date(Math.ceil(to / step_s) * step_s * 1000),
  );
}

function clickInterval(plot: uPlot, { onSelect, step_s }: Drawn): void {
  const start = plot.data[0][plot.cursor.idx ?? -1];
  if (start === undefined || plot.select.width >= MIN_DRAG) return;
  onSelect?.(new Date(start * 1000), new Date((start + step_s) * 1000));
}

/** Shortens thousands and millions, so that the axis keeps its width. */
function formatAxis(value: number, format: (value: number) => string): string {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1e4 ? `${value / 1e3} k` : format(value);
}
