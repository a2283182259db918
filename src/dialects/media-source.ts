/** Converts media between data URLs and base64 with a media type. */
import type { MediaSource } from "./neutral.ts";

/** Returns the source of a data URL in base64, or of another URL. */
export function parseMediaUrl(url: string): MediaSource {
  if (!url.startsWith("data:")) return { url };
  const comma = url.indexOf(",");
  const header = url.slice("data:".length, comma < 0 ? 0 : comma);
  if (!header.endsWith(BASE64)) return { url };
  const [media_type = ""] = header.slice(0, -BASE64.length).split(";", 1);
  return { data: url.slice(comma + 1), media_type };
}

export const toMediaUrl = (source: MediaSource): string =>
  "url" in source ? source.url : `data:${source.media_type}${BASE64},${source.data}`;

const BASE64 = ";base64";
