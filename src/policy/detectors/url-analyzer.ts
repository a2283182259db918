/** Detector of deceptive URLs and of URLs that exfiltrate text. */
import { z } from "zod";
import { defineDetector, type Match } from "../detector.ts";
import { inspectEach } from "../inspect-texts.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { Threshold } from "../setting-schemas.ts";
import { createDomainMatcher } from "../urls/domain-matcher.ts";
import { findCarriedText } from "../urls/find-carried-text.ts";
import { type FoundUrl, FRAME_CHARACTERS, findOpenAnchor, findUrls } from "../urls/find-urls.ts";
import { createLookalikeDomainCheck } from "../urls/lookalike-domain-check.ts";
import { type Host, parseHost, toRegistrableDomain } from "../urls/parse-host.ts";

const Domains = z.array(z.string().trim().min(1).max(253)).max(1000).default([]);

const Settings = z.strictObject({
  allowed_domains: Domains.describe(
    "Trusted domains, including subdomains: `example.com`, or a glob such as `*.example.com`. They are not reported, and their look-alikes are detected.",
  ),
  blocked_domains: Domains.describe(
    "Domains that are always reported, including subdomains. They take precedence over allowed domains.",
  ),
  only_allowed: z
    .boolean()
    .default(false)
    .describe("Whether every URL outside the allowed domains is reported."),
  threshold: Threshold.describe(
    "Minimum confidence of a match. At 0.4, IP addresses, private hosts and long links are detected too.",
  ),
});

const EVERYWHERE = [
  "user",
  "assistant",
  "system",
  "tool_result",
  "tool_arguments",
  "tool_definition",
] as const;

export const urlAnalyzer = defineDetector({
  kind: "url_analyzer",
  title: "URL analyzer",
  summary:
    "Detects blocked, look-alike, disguised and script URLs, and links or images that exfiltrate text.",
  reads: { input: EVERYWHERE, output: EVERYWHERE },
  masks: true,
  settings: Settings,
  prepare: (settings) => {
    const isAllowed = createDomainMatcher(settings.allowed_domains);
    const isBlocked = createDomainMatcher(settings.blocked_domains);
    const isLookalike = createLookalikeDomainCheck(settings.allowed_domains);

    const findSigns = (found: FoundUrl): Sign[] => {
      const host = parseHost(/^www\./i.test(found.url) ? `//${found.url}` : found.url);
      if (host === undefined) return findScriptSigns(found);
      if (isBlocked(host.name)) return [{ ...MALICIOUS, label: "blocked_domain", confidence: 1 }];
      const signs = findDeceptionSigns(found, host);
      if (isAllowed(host.name)) return signs.filter(({ label }) => label === "hidden_host");
      if (settings.only_allowed) {
        signs.push({ ...MALICIOUS, label: "unlisted_domain", confidence: 1 });
      }
      if (isLookalike(host))
        signs.push({ ...MALICIOUS, label: "lookalike_domain", confidence: 0.85 });
      return [...signs, ...findExfiltrationSigns(found, host)];
    };

    const inspect = (segment: Segment): Match[] =>
      computeOnce(segment, findUrls).flatMap((found) => {
        const certain = findSigns(found).filter(
          ({ confidence }) => confidence >= settings.threshold,
        );
        return keepMostConfident(certain).map((sign) => ({
          ...sign,
          at: { segment, start: found.start, end: found.end },
          mask: { text: "[LINK_REMOVED]" },
        }));
      });
    return inspectEach(inspect, {
      findOpenStart: (segment) => findOpenAnchor(segment.text, computeOnce(segment, findUrls)),
      context: FRAME_CHARACTERS,
    });
  },
});

type Sign = Pick<Match, "type" | "label" | "confidence">;

const MALICIOUS = { type: "malicious_url" };
const EXFILTRATION = { type: "data_exfiltration" };

/** Detects `javascript:` and active `data:` URLs, except for the idioms `void` and `history`. */
function findScriptSigns({ url, display }: FoundUrl): Sign[] {
  const runs =
    /^(?:javascript:(?!\s{0,3}(?:void|history\.|;|$))|vbscript:|data:(?:text\/html|image\/svg|application\/xhtml))/i;
  if (!runs.test(url)) return [];
  return [{ ...MALICIOUS, label: "script_url", confidence: display === "bare" ? 0.6 : 0.8 }];
}

const ADDRESSES: Readonly<Record<Host["kind"], { label: string; confidence: number } | undefined>> =
  {
    metadata: { label: "metadata_host", confidence: 0.85 },
    disguised_address: { label: "disguised_address", confidence: 0.85 },
    private: { label: "private_host", confidence: 0.4 },
    address: { label: "address_host", confidence: 0.5 },
    name: undefined,
  };

function findDeceptionSigns(found: FoundUrl, host: Host): Sign[] {
  const signs: Sign[] = [];
  const address = ADDRESSES[host.kind];
  if (address) signs.push({ ...MALICIOUS, ...address });
  // https://bank.example@evil.example leads to evil.example.
  if (/\.[a-z]{2}/i.test(host.userinfo)) {
    signs.push({ ...MALICIOUS, label: "hidden_host", confidence: 0.9 });
  }
  const promised = readDomainInText(found.linkText);
  if (
    promised !== undefined &&
    promised !== (SHORT_DOMAINS.get(host.registrableDomain) ?? host.registrableDomain)
  ) {
    signs.push({ ...MALICIOUS, label: "misleading_text", confidence: 0.75 });
  }
  return signs;
}

/** Short domains that only their owner can create links on. */
const SHORT_DOMAINS: ReadonlyMap<string, string> = new Map([
  ["aka.ms", "microsoft.com"],
  ["youtu.be", "youtube.com"],
  ["redd.it", "reddit.com"],
]);

const LABEL =
  /^\s{0,9}(?:https?:\/\/|(?=www\.)|(?=[\w.-]{1,200}\.(?:com|org|net|gov|edu|io|ai|app|dev|co|bank)(?:[/?#:]|\s|$)))((?:[\w-]{1,63}\.){1,9}[a-z]{2,24})(?=[/?#:\s]|$)/i;

/** Returns the registrable domain in a link text that is a URL itself. */
function readDomainInText(label: string): string | undefined {
  const name = LABEL.exec(label)?.[1]?.toLowerCase();
  return name && toRegistrableDomain(name);
}

/** Public services that collect requests or tunnel to any machine. */
const isCollectorHost = createDomainMatcher([
  "webhook.site",
  "requestbin.com",
  "requestbin.net",
  "requestcatcher.com",
  "pipedream.net",
  "beeceptor.com",
  "interact.sh",
  "oast.fun",
  "oast.live",
  "oast.me",
  "oast.online",
  "oast.pro",
  "oast.site",
  "oastify.com",
  "burpcollaborator.net",
  "dnslog.cn",
  "canarytokens.com",
  "hookbin.com",
  "ngrok.io",
  "ngrok.app",
  "ngrok-free.app",
  "trycloudflare.com",
]);

function findExfiltrationSigns({ url, display }: FoundUrl, host: Host): Sign[] {
  const carried = findCarriedText(url);
  const isCollector = isCollectorHost(host.name);
  if (carried === undefined) {
    return isCollector
      ? [{ ...EXFILTRATION, label: "collector_host", confidence: display === "image" ? 0.8 : 0.6 }]
      : [];
  }
  const confidence = isCollector ? 0.95 : carried[display];
  return [{ ...EXFILTRATION, label: carried.label, confidence }];
}

function keepMostConfident(signs: readonly Sign[]): Sign[] {
  return [MALICIOUS, EXFILTRATION].flatMap(({ type }) => {
    const [best] = signs
      .filter((sign) => sign.type === type)
      .toSorted((one, other) => other.confidence - one.confidence);
    return best ? [best] : [];
  });
}
