/** Builds HTML from templates. All values are escaped, except HTML that was built here. */

export interface Html {
  readonly markup: string;
}
type Part = Html | readonly Html[] | string | number | false | undefined;

/** Tags a template whose values are escaped; `false` and `undefined` render as nothing. */
export const html = (texts: TemplateStringsArray, ...parts: Part[]): Html => ({
  markup: String.raw({ raw: texts }, ...parts.map(render)),
});

/** Renders a description: text in backticks becomes code. */
export const renderProse = (text: string): Html => ({
  markup: escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>"),
});

function render(part: Part): string {
  if (part === false || part === undefined) return "";
  if (typeof part !== "object") return escapeHtml(String(part));
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("");
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
