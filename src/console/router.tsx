/** Reads and changes the address, which holds all state that a link should carry. */
import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from "react";
import type { PathParams } from "../contract/endpoint.ts";

/** From `<base>`, which the server writes, so that the console works under any prefix. */
const BASE = new URL(document.baseURI).pathname;

export function useLocation(): { path: string; search: URLSearchParams } {
  const href = useSyncExternalStore(subscribe, () => location.href);
  const { pathname, searchParams } = new URL(href);
  const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length - 1) : "/";
  return { path: path.replace(/(.)\/$/, "$1"), search: searchParams };
}

export function navigate(to: string, how: "push" | "replace" = "push"): void {
  updateAddress(toHref(to), how);
}

/** Puts a URL into the address bar and notifies the router, without loading a document. */
export function updateAddress(url: string | URL, how: "push" | "replace"): void {
  history[`${how}State`](null, "", url);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** Sets query parameters; an empty or undefined value removes the parameter. */
export function changeQuery(
  changes: Record<string, string | undefined>,
  how: "push" | "replace" = "push",
): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  updateAddress(url, how);
}

/** Returns the parameters of a path, or undefined if it does not match the pattern. */
export function matchPath<Path extends string>(
  pattern: Path,
  path: string,
): PathParams<Path> | undefined {
  const [patternParts, parts] = [pattern.split("/"), path.split("/")];
  if (patternParts.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of patternParts.entries()) {
    const value = parts[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  // Every `:name` of the pattern was set above.
  return params as PathParams<Path>;
}

type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { to: string };

export function Link({ to, ...props }: LinkProps) {
  const follow = (event: MouseEvent) => {
    // The browser opens new tabs and windows itself.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...props} href={toHref(to)} onClick={follow} />;
}

const toHref = (to: string): string => BASE + to.slice(1);

function subscribe(changed: () => void): () => void {
  addEventListener("popstate", changed);
  return () => removeEventListener("popstate", changed);
}
