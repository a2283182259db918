/** Counters and histograms, rendered for Prometheus (text format 0.0.4). */

/** Counts by the value of one label. */
export type Counts = Map<string, number>;

export interface Histogram {
  /** Upper bounds, lowest first. */
  bounds: readonly number[];
  /** One for each bound, and one for values above all bounds. Not cumulative. */
  counts: number[];
  sum: number;
}

export interface Metric<Source> {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  labels?: readonly string[];
  read: (source: Source) => number | Iterable<Sample>;
}

/** Label values, in the order of the labels of the metric, and the measured value. */
export type Sample = readonly [values: readonly string[], value: number | Histogram];

/** Starts the given keys at 0: a series that first appears at 1 shows no increase. */
export const newCounts = (keys: readonly string[] = []): Counts =>
  new Map(keys.map((key) => [key, 0]));

export function count(counts: Counts, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

export const newHistogram = (bounds: readonly number[]): Histogram => ({
  bounds,
  counts: Array.from({ length: bounds.length + 1 }, () => 0),
  sum: 0,
});

export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram;
  let at = 0;
  while (value > (bounds[at] ?? Infinity)) at += 1;
  counts[at] = (counts[at] ?? 0) + 1;
  histogram.sum += value;
}

export function renderMetrics<Source>(metrics: readonly Metric<Source>[], source: Source): string {
  return metrics.map((metric) => renderMetric(metric, samplesOf(metric, source))).join("");
}

/** Samples of one process, by the name of the metric. */
export type Readings = Record<string, Sample[]>;

export const readMetrics = <Source>(metrics: readonly Metric<Source>[], source: Source): Readings =>
  Object.fromEntries(metrics.map((metric) => [metric.name, [...samplesOf(metric, source)]]));

/** Renders the readings of several processes, each with its name in the label `worker`. */
export function renderReadings(
  metrics: readonly Omit<Metric<never>, "read">[],
  workers: readonly { worker: string; readings: Readings }[],
): string {
  return metrics
    .map((metric) => {
      const samples = workers.flatMap(({ worker, readings }) =>
        (readings[metric.name] ?? []).map(
          ([values, value]): Sample => [[worker, ...values], value],
        ),
      );
      return renderMetric({ ...metric, labels: ["worker", ...(metric.labels ?? [])] }, samples);
    })
    .join("");
}

function samplesOf<Source>({ read }: Metric<Source>, source: Source): Iterable<Sample> {
  const found = read(source);
  return typeof found === "number" ? [[[], found]] : found;
}

function renderMetric(
  { name, type, help, labels: names = [] }: Omit<Metric<never>, "read">,
  samples: Iterable<Sample>,
): string {
  const lines = [`# HELP ${name} ${escapeText(help)}`, `# TYPE ${name} ${type}`];
  for (const [values, value] of samples) {
    const labels = names.map((label, at): Label => [label, values[at] ?? ""]);
    if (typeof value === "number") lines.push(line(name, labels, value));
    else lines.push(...histogramLines(name, labels, value));
  }
  return `${lines.join("\n")}\n`;
}

function histogramLines(name: string, labels: Label[], { bounds, counts, sum }: Histogram) {
  let total = 0;
  const buckets = counts.map((some, at) => {
    total += some;
    return line(`${name}_bucket`, [...labels, ["le", `${bounds[at] ?? "+Inf"}`]], total);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, total)];
}

type Label = readonly [name: string, value: string];

function line(name: string, labels: readonly Label[], value: number): string {
  const pairs = labels.map(
    ([label, text]) => `${label}="${escapeText(text).replaceAll('"', '\\"')}"`,
  );
  return `${name}${pairs.length > 0 ? `{${pairs}}` : ""} ${value}`;
}

/** An unescaped line feed would let a label value add lines of its own. */
const escapeText = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");

export const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx"] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

export const statusClass = (status: number): StatusClass =>
  STATUS_CLASSES[Math.floor(status / 100) - 2] ?? "5xx";
