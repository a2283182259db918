/** Matches hosts against a list: `example.com` includes its subdomains; `*.example.com` is a glob. */

type DomainMatcher = (host: string) => boolean;

export function createDomainMatcher(entries: readonly string[]): DomainMatcher {
  const exact = new Set<string>();
  const globs: string[][] = [];
  for (const entry of entries) {
    const domain = entry
      .trim()
      .toLowerCase()
      .replace(/^[a-z]+:\/\//, "")
      .replace(/[/:].*$/, "")
      .replace(/\.$/, "");
    if (domain.includes("*")) globs.push(domain.split("*"));
    else if (domain !== "") exact.add(toAscii(domain));
  }
  return (host) => {
    for (let at = 0; at >= 0; at = host.indexOf(".", at) + 1 || -1) {
      if (exact.has(host.slice(at))) return true;
    }
    return globs.some((parts) => matchesGlob(host, parts));
  };
}

const toAscii = (domain: string) => URL.parse(`http://${domain}/`)?.hostname ?? domain;

/** Matches the `parts` between the stars in order, without overlap. */
function matchesGlob(host: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop() ?? "";
  if (!host.startsWith(first) || host.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const index = host.indexOf(part, at);
    if (index < 0) return false;
    at = index + part.length;
  }
  return host.endsWith(last) && host.length - last.length >= at;
}
