import { expect, test } from "bun:test";
import { count, type Metric, newCounts, newHistogram, observe, renderMetrics } from "./metrics.ts";

const metric = (read: Metric<undefined>["read"], more: Partial<Metric<undefined>> = {}) =>
  renderMetrics([{ name: "m", type: "gauge", help: "Help.", read, ...more }], undefined);

test("a metric without labels is one line after its help and type", () => {
  expect(metric(() => 0.5)).toBe("# HELP m Help.\n# TYPE m gauge\nm 0.5\n");
});

test("counts are rendered by label, with known keys from the start", () => {
  const counts = newCounts(["a", "b"]);
  count(counts, "b");
  count(counts, "new");
  count(counts, "new");

  const text = metric(() => [...counts].map(([key, value]) => [["x", key], value]), {
    type: "counter",
    labels: ["one", "other"],
  });

  expect(text.split("\n").slice(1)).toEqual([
    "# TYPE m counter",
    'm{one="x",other="a"} 0',
    'm{one="x",other="b"} 1',
    'm{one="x",other="new"} 2',
    "",
  ]);
});

test("a histogram is rendered as cumulative buckets", () => {
  const histogram = newHistogram([0.1, 1]);
  for (const value of [0.1, 0.2, 1, 7]) observe(histogram, value);

  const text = metric(() => [[["chat"], histogram]], { type: "histogram", labels: ["endpoint"] });

  expect(text.split("\n").slice(2)).toEqual([
    'm_bucket{endpoint="chat",le="0.1"} 1',
    'm_bucket{endpoint="chat",le="1"} 3',
    'm_bucket{endpoint="chat",le="+Inf"} 4',
    'm_sum{endpoint="chat"} 8.3',
    'm_count{endpoint="chat"} 4',
    "",
  ]);
});

test("neither help nor a label value can add a line or end a label", () => {
  const text = metric(() => [[['a"b\\c\nd'], 1]], { help: 'One\\two\n"three"', labels: ["l"] });

  expect(text).toBe('# HELP m One\\\\two\\n"three"\n# TYPE m gauge\nm{l="a\\"b\\\\c\\nd"} 1\n');
});
