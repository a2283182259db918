/** Finds addresses that deceive whoever follows them, and addresses that carry text away. */
import { z } from "zod";
import { defineDetector, inspectEach, type Match } from "../detector.ts";
import { computeOnce, type Segment } from "../segment.ts";
import { Threshold } from "../shared-settings.ts";
import { createDomainMatcher } from "../urls/domain-matcher.ts";
import { findCarriedText } from "../urls/find-carried-text.ts";
import { type FoundUrl, findUrls } from "../urls/find-urls.ts";
import { createLookalikeDomainTest } from "../urls/lookalike-domain-test.ts";
import { type Host, parseHost, toRegistrableDomain } from "../urls/parse-host.ts";

const Domains = z.array(z.string().trim().min(1).max(253)).max(1000).default([]);

const Settings = z.strictObject({
  allowed_domains: Domains.describe(
    "Domains that are trusted, with all below them: `example.com`, or a glob such as `*.example.com`. Nothing is said against them, and look-alikes of them are found.",
  ),
  blocked_domains: Domains.describe(
    "Domains that are always reported, with all below them. They win over allowed ones.",
  ),
  only_allowed: z
    .boolean()
    .default(false)
    .describe("Whether every address outside the allowed domains is reported."),
  threshold: Threshold.describe(
    "How sure a match must be. At 0.4 plain and private addresses, and long links, are found too.",
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
    "Blocked, look-alike, disguised and script addresses, and links or images that carry text away.",
  reads: { input: EVERYWHERE, output: EVERYWHERE },
  masks: true,
  settings: Settings,
  prepare: (settings) => {
    const allowed = createDomainMatcher(settings.allowed_domains);
    const blocked = createDomainMatcher(settings.blocked_domains);
    const imitates = createLookalikeDomainTest(settings.allowed_domains);

    const judge = (found: FoundUrl): Sign[] => {
      const host = parseHost(/^www\./i.test(found.url) ? `//${found.url}` : found.url);
      if (host === undefined) return findScriptSigns(found);
      if (blocked(host.name)) return [{ ...MALICIOUS, label: "blocked_domain", confidence: 1 }];
      const signs = findDeceptionSigns(found, host);
      if (allowed(host.name)) return signs.filter(({ label }) => label === "hidden_host");
      if (settings.only_allowed) {
        signs.push({ ...MALICIOUS, label: "unlisted_domain", confidence: 1 });
      }
      if (imitates(host)) signs.push({ ...MALICIOUS, label: "lookalike_domain", confidence: 0.85 });
      return [...signs, ...findExfiltrationSigns(found, host)];
    };

    const inspect = (segment: Segment): Match[] =>
      computeOnce(segment, findUrls).flatMap((found) => {
        const certain = judge(found).filter(({ confidence }) => confidence >= settings.threshold);
        return keepMostConfident(certain).map((sign) => ({
          ...sign,
          at: { segment, start: found.start, end: found.end },
          mask: { text: "[LINK_REMOVED]" },
        }));
      });
    return inspectEach(inspect);
  },
});

type Sign = Pick<Match, "type" | "label" | "confidence">;

const MALICIOUS = { type: "malicious_url" };
const EXFILTRATION = { type: "data_exfiltration" };

/** `javascript:` runs, and a `data:` page is whatever it likes to be. Going back and doing nothing are idioms. */
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
    inner: { label: "private_host", confidence: 0.4 },
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

/** Short domains that only the site itself gives out, as its documents do beside the long one. */
const SHORT_DOMAINS: ReadonlyMap<string, string> = new Map([
  ["aka.ms", "microsoft.com"],
  ["youtu.be", "youtube.com"],
  ["redd.it", "reddit.com"],
]);

const LABEL =
  /^\s{0,9}(?:https?:\/\/|(?=www\.)|(?=[\w.-]{1,200}\.(?:com|org|net|gov|edu|io|ai|app|dev|co|bank)(?:[/?#:]|\s|$)))((?:[\w-]{1,63}\.){1,9}[a-z]{2,24})(?=[/?#:\s]|$)/i;

/** The site that the text of a link names, where the text is an address itself. */
function readDomainInText(label: string): string | undefined {
  const name = LABEL.exec(label)?.[1]?.toLowerCase();
  return name && toRegistrableDomain(name);
}

/** Hosts that anybody can have for a minute, made to collect what is sent to them. */
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
  const collects = isCollectorHost(host.name);
  if (carried === undefined) {
    return collects
      ? [{ ...EXFILTRATION, label: "collector_host", confidence: display === "image" ? 0.8 : 0.6 }]
      : [];
  }
  const confidence = collects ? 0.95 : carried[display];
  return [{ ...EXFILTRATION, label: carried.label, confidence }];
}

function keepMostConfident(signs: readonly Sign[]): Sign[] {
  return [MALICIOUS, EXFILTRATION].flatMap(({ type }) => {
    const [surest] = signs
      .filter((sign) => sign.type === type)
      .toSorted((one, other) => other.confidence - one.confidence);
    return surest ? [surest] : [];
  });
}
