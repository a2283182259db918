/** An address with `{names}` in it that somebody fills in. */

const PLACEHOLDER = /\{([^{}]{1,64})\}/g;

export const templateNames = (url: string): string[] =>
  [...url.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);

/** The names that decide which host is reached. */
export function originNames(url: string): string[] {
  const originWith = (value: string, at: string) =>
    URL.parse(fillTemplate(url, (name) => (name === at ? value : "x")))?.origin;
  return templateNames(url).filter((name) => originWith("x", name) !== originWith("y", name));
}

/** Values are encoded: one that holds a slash or a question mark leads nowhere else. */
export const fillTemplate = (url: string, valueFor: (name: string) => string): string =>
  url.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(valueFor(name)));
