/** Finds email addresses: locates each @ and reads in both directions. */
import type { EntityHit } from "./entities.ts";

const LOCAL = /[\p{L}\p{N}._%+'-]/u;
/** Chinese, Japanese and Korean do not separate words: their characters end an address in another script. */
const UNSPACED = /[\u3040-\ud7a3]/;
const DOMAIN =
  /(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,8}(?:[A-Za-z]{2,24}(?![A-Za-z0-9@]|-[\p{L}\p{N}])|\p{L}{2,24}(?![\p{L}\p{N}@]|-[\p{L}\p{N}]))/uy;

export function findEmails(text: string): EntityHit[] {
  const hits: EntityHit[] = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    DOMAIN.lastIndex = at + 1;
    if (!DOMAIN.test(text)) continue;
    const end = DOMAIN.lastIndex;
    const unspaced = UNSPACED.test(text.charAt(at - 1));
    const isLocal = (sign: string) => LOCAL.test(sign) && (unspaced || !UNSPACED.test(sign));
    let start = at;
    while (start > 0 && at - start < 64 && isLocal(text.charAt(start - 1))) start--;
    while (start < at && /[.'%+-]/.test(text.charAt(start))) start++;
    if (start === at || isNotEmail(text, start, at, end)) continue;
    hits.push({ entity: "email", start, end, confidence: 0.98 });
  }
  return hits;
}

/** Detects a password in a URL (`://user:password@host`), a login on a host, and an image name (`icon@2x.png`). */
function isNotEmail(text: string, start: number, at: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 80), start);
  if (/:\/\/(?:[^\s/]*:)?$/.test(before)) return true;
  if (/^:["']?[/~]/.test(text.slice(end, end + 3))) return true;
  if (text.slice(start, at) === "git" && text.charAt(end) === ":") return true;
  return /^\d(?:\.\d)?x\.\w+$/.test(text.slice(at + 1, end));
}
