/** Chart of values over time, with a table of the same values. The chart library is loaded on demand. */
import { useEffect, useRef, useState } from "react";
import { usePreferences } from "../preferences.ts";
import type { Drawing } from "./draw-chart.ts";
import { formatInterval } from "./format-interval.ts";

export type ChartTone = "plain" | "good" | "accent" | "warn" | "danger" | "other";

export interface ChartSeries {
  name: string;
  tone: ChartTone;
  /** One value per interval; null: none. */
  values: readonly (number | null)[];
}

export interface ChartProps {
  title: string;
  /** Bars on top of each other, or one line per series. */
  kind: "stacked" | "lines";
  /** Start of the first interval. */
  from: string;
  step_s: number;
  series: readonly ChartSeries[];
  /** Formats a value; with separators by default. */
  format?: (value: number) => string;
  /** Called with the range that was dragged over, or with the interval that was clicked. */
  onSelect?: (from: Date, to: Date) => void;
}

const formatNumber = (value: number): string => value.toLocaleString();

export function Chart(props: ChartProps) {
  const { title, series, format = formatNumber, onSelect } = props;
  const place = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  const [shown, setShown] = useState(false);
  const data = JSON.stringify([props.kind, props.from, props.step_s, series, usePreferences()]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again when the data changes, not when the parent renders
  useEffect(() => {
    let drawing: Drawing | undefined;
    let left = false;
    const element = place.current;
    if (!element) return;
    import("./draw-chart.ts").then(
      ({ drawChart }) => {
        if (!left) drawing = drawChart(element, { ...props, format, onSelect });
      },
      () => setFailed(true),
    );
    return () => {
      left = true;
      drawing?.remove();
    };
  }, [data]);

  return (
    <figure className="chart">
      <figcaption>
        {title}
        {onSelect && <span className="hint"> Drag to select a range.</span>}
      </figcaption>
      {failed ? (
        <p className="hint">The chart could not be loaded. Reload the page.</p>
      ) : (
        <div className="plot" ref={place} aria-hidden="true" />
      )}
      <details onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
        <summary>Values as a table</summary>
        {shown && <ValueTable {...props} format={format} />}
      </details>
    </figure>
  );
}

function ValueTable(props: ChartProps & { format: (value: number) => string }) {
  const { title, series, format } = props;
  const intervals = series[0]?.values.length ?? 0;
  return (
    <div className="table">
      <table>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: intervals }, (_, index) => (
            <tr key={startOf(props, index).getTime()}>
              <th scope="row">{formatInterval(startOf(props, index), props.step_s)}</th>
              {series.map(({ name, values }) => (
                <td key={name} className="number">
                  {formatValue(values[index], format)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const startOf = ({ from, step_s }: ChartProps, index: number): Date =>
  new Date(Date.parse(from) + index * step_s * 1000);

export const formatValue = (
  value: number | null | undefined,
  format: (value: number) => string,
): string => (value === null || value === undefined ? "–" : format(value));
