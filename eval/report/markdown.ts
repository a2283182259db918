/** Markdown tables, and figures with as many digits as they deserve. */

/** The first columns are text, the others are numbers. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  textColumns = 1,
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = `|${header.map((_, column) => (column < textColumns ? "---|" : "--:|")).join("")}`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}

/** Shows a share as a percentage; a dash if there is none. */
export function percent(share: number): string {
  if (Number.isNaN(share)) return NONE;
  const value = share * 100;
  return `${value === 0 || value === 100 ? value : value.toFixed(1)} %`;
}

/** Shows a measure between 0 and 1. */
export const fraction = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(3) : NONE;

export const countOf = (part: number, all: number): string => `${part} (${percent(part / all)})`;

/** Shows three digits. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return NONE;
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}

export const NONE = "–";
