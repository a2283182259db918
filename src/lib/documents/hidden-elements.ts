/** Tracks the elements of HTML that browsers hide. */
import { BLOCK_ELEMENTS, VOID_ELEMENTS } from "./html-elements.ts";
import { parseAttributes } from "./walk-markup.ts";

export interface Hiding {
  open: (name: string, attributes: string) => void;
  close: (name: string) => void;
  isHidden: () => boolean;
}

export function createHiding(): Hiding {
  /** The element that hides text, and the number of elements of its name that are open. */
  let hiding = { name: "", depth: 0 };
  return {
    open(name, attributes) {
      if (hiding.depth > 0 && endsAtTag(hiding.name, name)) hiding.depth = 0;
      const hasEnd = !attributes.endsWith("/") && !VOID_ELEMENTS.has(name);
      if (hiding.depth > 0) hiding.depth += hasEnd && name === hiding.name ? 1 : 0;
      else if (hasEnd && hides(attributes)) hiding = { name, depth: 1 };
    },
    close(name) {
      if (hiding.depth > 0 && name === hiding.name) hiding.depth--;
    },
    isHidden: () => hiding.depth > 0,
  };
}

/** Returns whether an element without a closing tag ends where another one begins. */
const endsAtTag = (open: string, next: string): boolean =>
  open === "p" ? BLOCK_ELEMENTS.has(next) : open === next && LISTED.has(open);
const LISTED = new Set(["li", "dt", "dd", "tr", "td", "th", "option"]);

/** Style sheets are not read. */
function hides(source: string): boolean {
  if (!MAY_HIDE.test(source)) return false;
  const { attributes, rest } = parseAttributes(source);
  const hasHidingValue = attributes.some(
    ({ name, value }) => name === "hidden" || (name === "style" && HIDING_STYLE.test(value)),
  );
  return hasHidingValue || /(?:^|\s)hidden(?:$|[\s/])/i.test(rest);
}

const MAY_HIDE = /hidden|display|font-size|opacity/i;
const HIDING_STYLE =
  /display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|(?:font-size|opacity)\s{0,9}:\s{0,9}0(?![\d.]*[1-9])/i;
