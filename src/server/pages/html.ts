/** How does text get into a page? Escaped, always, unless it is markup that was made here. */

export interface Html {
  readonly markup: string;
}
type Part = Html | readonly Html[] | string | number | false | undefined;

/** A template whose values are escaped; `false` and `undefined` leave nothing. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html => ({
  markup: String.raw({ raw: texts }, ...parts.map(render)),
});

/** A sentence of a description: what stands in backticks is code. */
export const renderProse = (text: string): Html => ({
  markup: escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>"),
});

function render(part: Part): string {
  if (part === false || part === undefined) return "";
  if (typeof part !== "object") return escaped(String(part));
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("");
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
