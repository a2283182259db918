/** Finds the URLs in text and how they are displayed: as an image, a link or plain text. */
import { createOpenTest } from "../../lib/text/open-pattern.ts";

export interface FoundUrl {
  /** As written, except that a defanged scheme or dot (`hxxps`, `[.]`) is restored. */
  url: string;
  display: "image" | "link" | "bare";
  /** Text that a reader sees instead of the URL. */
  linkText: string;
  start: number;
  end: number;
}

export function findUrls(text: string): readonly FoundUrl[] {
  if (!URL_MARKERS.some((mark) => text.includes(mark)) && !SCHEMES.test(text)) return [];
  const framed = [...findMarkdownUrls(text), ...findHtmlUrls(text)];
  const taken = framed.map(({ start, end }) => ({ start, end })).toSorted(byStart);
  let next = 0;
  const alone = findBareUrls(text).filter(({ start }) => {
    while ((taken[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    return start < (taken[next]?.start ?? Number.POSITIVE_INFINITY);
  });
  return [...framed, ...alone].toSorted(byStart);
}

const byStart = (one: { start: number }, other: { start: number }) => one.start - other.start;

/** Every URL contains one of these. */
const URL_MARKERS = ["://", "[:]//", "](", "=//"];
const SCHEMES = /www\.|javascript:|vbscript:|data:/i;

const MARKDOWN =
  /(!?)\[([^[\]\n]{0,300})\]\(\s{0,3}<?([^\s<>()]+(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,200})?)/dg;
const HTML =
  /<(a|area|img|image|iframe|frame|script|link|form|object|embed|video|audio|source|track|input|svg|use|base)\b[^<>]{0,600}?[\s"'/](?:href|src|action|formaction|data|poster|background|xlink:href|ping)\s{0,3}=\s{0,3}["']?\s{0,3}([^\s"'<>]+)/dgi;
const IMAGES = /^(?:img|image|video|audio|source|track|input|use)$/i;
const BARE =
  /(?:\b(?:https?|hxxps?|ftp|wss?|file|gopher|dict)(?::|\[:\])\/\/|\bwww\.|\b(?:javascript|vbscript):(?=\S)|\bdata:(?=[\w/+.-]{1,60}[;,]))[^\s<>"'`\\^]+/gi;

function findMarkdownUrls(text: string): FoundUrl[] {
  if (!text.includes("](")) return [];
  return Array.from(text.matchAll(MARKDOWN), (match) => {
    const [start, end] = match.indices?.[3] ?? [0, 0];
    const display = match[1] === "!" ? "image" : "link";
    return { url: refang(match[3] ?? ""), display, linkText: match[2] ?? "", start, end } as const;
  });
}

function findHtmlUrls(text: string): FoundUrl[] {
  if (!text.includes("<") || !text.includes("=")) return [];
  return Array.from(text.matchAll(HTML), (match) => {
    const [start, end] = match.indices?.[2] ?? [0, 0];
    const display = IMAGES.test(match[1] ?? "") ? "image" : "link";
    const url = refang((match[2] ?? "").replaceAll("&amp;", "&"));
    return {
      url,
      display,
      linkText: match[1] === "a" ? readAnchorText(text, end) : "",
      start,
      end,
    } as const;
  });
}

/** `<a href="…">this</a>` */
const readAnchorText = (text: string, end: number) =>
  /^["']?[^<>]{0,200}>([^<>]{0,300})<\/a/i.exec(text.slice(end, end + 600))?.[1] ?? "";

/** Longest link text or tag before a URL that is read with it. */
export const FRAME_CHARACTERS = 640;

/** Returns the start of a URL whose anchor text may still follow, or the length of the text. */
export function findOpenAnchor(text: string, urls: readonly FoundUrl[]): number {
  for (const { start, end } of urls) {
    if (!isAnchorOpen(text, end)) continue;
    if (/<a\b[^<>]{0,600}$/i.test(text.slice(Math.max(0, start - 610), start))) return start;
  }
  return text.length;
}

const isAnchorOpen = createOpenTest(/["']?[^<>]{0,200}>[^<>]{0,300}<\/a/i);

function findBareUrls(text: string): FoundUrl[] {
  return Array.from(text.matchAll(BARE), ({ 0: match, index }) => {
    const url = trimPunctuation(match);
    return {
      url: refang(url),
      display: "bare",
      linkText: "",
      start: index,
      end: index + url.length,
    };
  });
}

/** Removes trailing punctuation and closing brackets that were opened before the URL. */
function trimPunctuation(url: string): string {
  const surplus = new Map(
    [")(", "][", "}{"].map(([close = "", open = ""]) => [
      close,
      countOccurrences(url, close) - countOccurrences(url, open),
    ]),
  );
  let end = url.length;
  for (; end > 0; end--) {
    const last = url.charAt(end - 1);
    const more = surplus.get(last);
    if (more === undefined ? !/[.,;:!?*_~]/.test(last) : more <= 0) break;
    if (more !== undefined) surplus.set(last, more - 1);
  }
  return url.slice(0, end);
}

const countOccurrences = (text: string, letter: string) => text.split(letter).length - 1;

const refang = (url: string) =>
  url
    .replace(/^hxxp/i, "http")
    .replace("[:]", ":")
    .replace(/\[\.\]|\(\.\)/g, ".");
