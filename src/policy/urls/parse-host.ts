/** Parses and classifies the host of a URL. */
import { domainToUnicode } from "node:url";
import { ipv4ToNumber } from "../../lib/http/ip-address.ts";

export interface Host {
  /** ASCII, lower case, without a trailing dot. An IPv4 address is in dotted form. */
  name: string;
  /** As displayed to a reader: punycode is decoded. */
  displayName: string;
  /** Part before the `@`, which a reader may mistake for the host. */
  userinfo: string;
  kind: "name" | "address" | "disguised_address" | "private" | "metadata";
  /** `bbc.co.uk` for `news.bbc.co.uk`. */
  registrableDomain: string;
}

/** Returns undefined if the URL has no host, as in `data:`, or an invalid one. */
export function parseHost(url: string): Host | undefined {
  const [, scheme = "", authority = ""] = AUTHORITY.exec(url) ?? [];
  if (authority === "") return undefined;
  const cut = authority.lastIndexOf("@");
  const original = authority.slice(cut + 1).replace(/:\d{0,5}$/, "");
  const parsed = URL.parse(`http://${original}/`)?.hostname;
  if (!parsed || scheme.toLowerCase() === "file") return undefined;
  const name = parsed.replace(/\.$/, "");
  return {
    name,
    displayName: name.includes("xn--") ? domainToUnicode(name) || name : name,
    userinfo: cut < 0 ? "" : authority.slice(0, cut),
    kind: classifyHost(name, original.toLowerCase()),
    registrableDomain: toRegistrableDomain(name),
  };
}

const AUTHORITY = /^(?:([a-z][a-z0-9+.-]{0,20}):)?\/\/([^/?#\\]{1,400})/i;

/** Returns the last two labels, or three if the last two are a public suffix. */
export function toRegistrableDomain(name: string): string {
  const labels = name.split(".");
  const suffix = labels.slice(-2).join(".");
  return labels.slice(SHARED_SUFFIXES.has(suffix) || isCountrySuffix(labels) ? -3 : -2).join(".");
}

const SHARED_SUFFIXES = new Set([
  "github.io",
  "gitlab.io",
  "pages.dev",
  "workers.dev",
  "vercel.app",
  "netlify.app",
  "web.app",
  "firebaseapp.com",
  "herokuapp.com",
  "blogspot.com",
  "azurewebsites.net",
  "cloudfront.net",
  "amazonaws.com",
  "appspot.com",
  "onrender.com",
  "fly.dev",
  "repl.co",
  "glitch.me",
  "ngrok.io",
  "trycloudflare.com",
  "translate.goog",
]);

/** Matches `co.uk`, `com.br`, `ac.jp`: a short label under a country code. */
const isCountrySuffix = (labels: readonly string[]) =>
  labels.at(-1)?.length === 2 &&
  /^(?:co|com|org|net|gov|gob|edu|ac|or|ne|go|gv)$/.test(labels.at(-2) ?? "");

const METADATA_HOSTS = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "192.0.0.192",
  "metadata.google.internal",
  "metadata.goog",
  "[fd00:ec2::254]",
  "[::ffff:a9fe:a9fe]",
]);

function classifyHost(name: string, original: string): Host["kind"] {
  if (METADATA_HOSTS.has(name)) return "metadata";
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)) {
    // Decimal, octal, hex and short forms are used to evade filters.
    if (name !== original) return "disguised_address";
    return isPrivateAddress(ipv4ToNumber(name)) ? "private" : "address";
  }
  if (name.startsWith("["))
    return /^\[(?:::1|f[cd]|fe[89ab]|::ffff:)/.test(name) ? "private" : "address";
  return /^localhost$|\.(?:localhost|local|internal|lan|intranet|corp|home\.arpa)$/.test(name)
    ? "private"
    : "name";
}

const PRIVATE_BLOCKS = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
].map((block) => {
  const [network = "", bits] = block.split("/");
  const size = 2 ** (32 - Number(bits));
  return { size, index: ipv4ToNumber(network) / size };
});

const isPrivateAddress = (address: number) =>
  PRIVATE_BLOCKS.some(({ size, index }) => Math.floor(address / size) === index);
