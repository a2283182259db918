/** The section about the starter policy in docs/detection.md, which a command of its own writes. */

const SECTION = /^## The starter policy\n[\s\S]*?(?=^## )/m;

/** Returns the section of a page; empty if it has none. */
export const findStarterSection = (page: string): string => SECTION.exec(page)?.[0] ?? "";

export const placeStarterSection = (page: string, section: string): string =>
  page.replace(SECTION, "").replace(/^## Method\n/m, (method) => `${section}${method}`);
