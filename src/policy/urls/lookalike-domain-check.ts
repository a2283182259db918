/** Detects hosts that imitate a trusted domain. */
import { foldLetters } from "../views/fold-letters.ts";
import { type Host, toRegistrableDomain } from "./parse-host.ts";

/** Frequently imitated domains. The administrator's allowed domains are added. */
const WELL_KNOWN = (
  "google.com youtube.com facebook.com instagram.com whatsapp.com twitter.com linkedin.com microsoft.com " +
  "microsoftonline.com outlook.com office.com apple.com icloud.com amazon.com paypal.com netflix.com github.com " +
  "gitlab.com bitbucket.org npmjs.com pypi.org docker.com openai.com chatgpt.com anthropic.com claude.ai " +
  "huggingface.co dropbox.com slack.com zoom.us salesforce.com docusign.com adobe.com stripe.com coinbase.com " +
  "binance.com metamask.io chase.com bankofamerica.com wellsfargo.com citibank.com hsbc.com wikipedia.org " +
  "cloudflare.com okta.com atlassian.com telegram.org discord.com spotify.com yahoo.com steampowered.com dhl.com fedex.com usps.com"
).split(" ");

type LookalikeCheck = (host: Host) => boolean;

export function createLookalikeDomainCheck(alsoTrusted: readonly string[]): LookalikeCheck {
  const sites = new Set([
    ...WELL_KNOWN,
    ...alsoTrusted.filter((domain) => !domain.includes("*")).map(toRegistrableDomain),
  ]);
  const words = new Set(
    [...sites].map(toFirstLabel).filter((word) => word.length >= MIN_WORD_CHARACTERS),
  );
  const signs = new Set(Array.from(words, foldConfusables));
  const byLength = Map.groupBy(words, (word) => word.length);

  return (host) => {
    if (host.kind !== "name" || sites.has(host.registrableDomain)) return false;
    const read = toRegistrableDomain(
      foldLetters(host.displayName)?.text.toLowerCase() ?? host.displayName,
    );
    if (read !== host.registrableDomain && sites.has(read)) return true;
    if (hasTrustedSubdomain(host, sites)) return true;
    const word = toFirstLabel(read);
    if (words.has(word)) return false;
    if (signs.has(foldConfusables(word)) || isTrustedWithLure(word, words)) return true;
    return [-1, 0, 1].some((more) =>
      byLength.get(word.length + more)?.some((known) => isMisspelling(word, known)),
    );
  };
}

/** Shorter names are one letter away from too many others. */
const MIN_WORD_CHARACTERS = 6;

const toFirstLabel = (site: string) => site.slice(0, site.indexOf("."));

/** Matches `paypal.com.login.example`, where the trusted domain is only a subdomain. */
function hasTrustedSubdomain(host: Host, sites: ReadonlySet<string>): boolean {
  const labels = host.name.slice(0, -host.registrableDomain.length).split(".").filter(Boolean);
  return labels.some((label, index) => sites.has(`${label}.${labels[index + 1] ?? ""}`));
}

const LURES =
  /(?:^|-)(?:log-?in|sign-?in|secure|security|verify|verification|account|support|update|billing|auth|wallet|unlock|recovery|confirm)(?:-|$)/;

/** Matches `paypal-login.com`. */
const isTrustedWithLure = (word: string, words: ReadonlySet<string>) =>
  word.includes("-") && LURES.test(word) && word.split("-").some((part) => words.has(part));

/** Checks for one transposed, missing or extra letter. A replaced letter does not count: `finance` is not `binance`. */
function isMisspelling(word: string, known: string): boolean {
  const at = findFirstDifference(word, known);
  if (word.length === known.length) {
    return (
      word.charAt(at) === known.charAt(at + 1) &&
      word.charAt(at + 1) === known.charAt(at) &&
      word.slice(at + 2) === known.slice(at + 2)
    );
  }
  const [longer, shorter] = word.length > known.length ? [word, known] : [known, word];
  if (longer.slice(at + 1) !== shorter.slice(at)) return false;
  // A doubled letter is easily overlooked; another letter only inside a long word.
  const doubled = longer.charAt(at) === longer.charAt(at - 1);
  return doubled || (known.length > MIN_WORD_CHARACTERS + 1 && at > 0 && at < longer.length - 1);
}

/** Folds characters and pairs that look alike, such as `rn` and `m`. */
const foldConfusables = (word: string) =>
  word
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll("cl", "d")
    .replace(/[1i]/g, "l")
    .replaceAll("0", "o")
    .replaceAll("5", "s")
    .replaceAll("3", "e")
    .replaceAll("4", "a");

function findFirstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charAt(at) === other.charAt(at)) at++;
  return at;
}
