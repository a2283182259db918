/** Finds text that a URL would exfiltrate in its path, query or host. */

export interface CarriedText {
  label: "placeholder" | "encoded_text" | "plain_text" | "opaque" | "host_name";
  /** Confidence for an image, which is fetched when displayed; a link, which needs a click; and plain text. */
  image: number;
  link: number;
  bare: number;
}

/** Returns the sign of highest confidence, or undefined. */
export function findCarriedText(url: string): CarriedText | undefined {
  const after = url.slice(url.indexOf("://") + 3);
  const from = after.search(/[/?#]/);
  const host = from < 0 ? after : after.slice(0, from);
  const rest = from < 0 ? "" : after.slice(from);
  const signs: (CarriedText | undefined)[] = [
    // A model is expected to fill it in. In code it is a template.
    PLACEHOLDER.test(rest)
      ? { label: "placeholder", image: 0.9, link: 0.75, bare: 0.4 }
      : undefined,
    /[a-z2-7]{48,63}\.|[\da-f]{40,63}\./i.test(host)
      ? { label: "host_name", image: 0.75, link: 0.7, bare: 0.7 }
      : undefined,
    ...splitValues(rest).map(({ name, value }) => classifyValue(name, value)),
  ];
  return signs
    .filter((sign) => sign !== undefined)
    .reduce<CarriedText | undefined>(
      (best, sign) => (sign.image > (best?.image ?? 0) ? sign : best),
      undefined,
    );
}

const PLACEHOLDER =
  /\{\{?\s{0,3}[a-z_][\w .-]{0,60}\}|%7b%7b|\$\{[\w.]{1,60}\}|%3c[a-z_ ]{3,40}%3e|\[[a-z_ ]{4,40}\]|=(?:your|user|insert|the)[_+ -](?:[a-z]{1,30}[_+ -]){0,4}(?:data|secret|password|history|summary|conversation|prompt|message|key|token|here)\b/i;

function splitValues(rest: string): { name: string; value: string }[] {
  const query = rest.indexOf("?");
  const path = query < 0 ? rest : rest.slice(0, query);
  const pairs = query < 0 ? [] : rest.slice(query + 1).split(/[&;#]/);
  return [
    ...pairs.map((pair) => {
      const cut = pair.indexOf("=");
      return { name: cut < 0 ? "" : pair.slice(0, cut).toLowerCase(), value: pair.slice(cut + 1) };
    }),
    ...path.split("/").map((value) => ({ name: "/", value })),
  ].filter(({ value }) => value.length >= MIN_VALUE_CHARACTERS);
}

const MIN_VALUE_CHARACTERS = 20;
/** Names of parameters that are legitimately opaque. */
const EXPECTED_OPAQUE_NAMES =
  /^(?:x-amz-.*|x-goog-.*|sig|signature|sign|hash|hmac|token|jwt|key-pair-id|policy|expires|se|sp|sv|sr|st|utm_.*|v|ver|version|id|ei|ved|usg|fbclid|gclid|msclkid|state|nonce|code|session.*|checksum|integrity|etag|key|apikey|api_key|client_id|hl|oh|oe|ex|is|hm|response-content-.*|ccb|_nc_.*)$/;

/** Inline picture of a badge: its `+` do not separate words, and splitting at `;` may have cut its prefix. */
const PICTURE = /^(?:data:image\/\w{1,9};)?base64,(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)/;

function classifyValue(name: string, value: string): CarriedText | undefined {
  const plain = decodePercent(value);
  if (PICTURE.test(plain)) return undefined;
  // Several words are prose. File names may have a few words.
  const gaps = plain.match(/[\s+](?=\S)/g)?.length ?? 0;
  if (gaps >= (name === "/" ? 9 : 4))
    return { label: "plain_text", image: 0.8, link: 0.4, bare: 0.4 };
  if (EXPECTED_OPAQUE_NAMES.test(name) || !/^[\w+/=.~-]+$/.test(plain)) return undefined;
  if (decodesToText(plain)) return { label: "encoded_text", image: 0.9, link: 0.75, bare: 0.6 };
  return name !== "/" && plain.length >= 48 && isMixed(plain)
    ? { label: "opaque", image: 0.6, link: 0.3, bare: 0.3 }
    : undefined;
}

function decodePercent(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Checks for base64 or hex of readable text. */
function decodesToText(value: string): boolean {
  const isHex = /^[\da-f]+$/i.test(value) && value.length % 2 === 0;
  if (!isHex && !(/[a-z]/.test(value) && /[A-Z]/.test(value))) return false;
  const bytes = Buffer.from(value, isHex ? "hex" : "base64");
  const readable = bytes.filter((byte) => byte === 10 || (byte >= 0x20 && byte < 0x7f)).length;
  return (
    bytes.length >= 12 &&
    readable === bytes.length &&
    /[a-z]{3}|\d{6}/i.test(bytes.toString("latin1"))
  );
}

const isMixed = (value: string) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
