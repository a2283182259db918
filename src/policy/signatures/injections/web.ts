/** Signatures of header, XML and SSRF injections. */
import type { Signature } from "../signature.ts";

const METADATA = String.raw`(?:169\.254\.169\.254|169\.254\.170\.2|metadata\.google\.internal|metadata\.goog\b|100\.100\.100\.200|192\.0\.0\.192|\[fd00:ec2::254\]|instance-data\b|2852039166|0xa9fea9fe|0251\.0376\.0251\.0376|\[::ffff:(?:169\.254\.169\.254|a9fe:a9fe)\])`;
/** Part of an IPv4 address: decimal, octal or hex. */
const PART = String.raw`(?:0x[\da-f]{0,16}|\d{1,16})`;
/** Addresses that are not written in the usual form, and names that resolve to this machine. */
const DISGUISED_HOST = [
  `${PART}(?:[.\u3002]${PART}){0,2}`,
  String.raw`(?=[\d.xa-f]{0,60}(?:\b0x|\b0\d))${PART}(?:\.${PART}){3}`,
  String.raw`(?=[\d.]{0,12}\b(?:25[6-9]|2[6-9]\d|[3-9]\d\d)\b)\d{1,3}(?:\.\d{1,3}){3}`,
  String.raw`127\.(?!0\.0\.1(?!\d))\d{1,3}\.\d{1,3}\.\d{1,3}|0\.0\.0\.0`,
  `\\d{1,3}(?:\u3002\\d{1,3}){3}`,
  String.raw`\[(?:[0:]{2,40}1?|[0:]{2,40}ffff:(?:0:)?[^\]\s]{1,20}|::\d{1,3}(?:\.\d{1,3}){3})\]`,
  String.raw`[\w.-]{1,80}\.(?:nip|sslip|xip)\.io|(?:[\w-]{1,60}\.){0,4}(?:localtest\.me|lvh\.me|vcap\.me|localh\.st)|spoofed\.burpcollaborator\.net`,
].join("|");
const pattern = (source: string) => new RegExp(source);

export const WEB: readonly Signature<"header" | "xml" | "ssrf">[] = [
  {
    label: "header", // %0d%0aSet-Cookie:
    needles: ["%0d", "%0a", "%e5%98%8a", "\\u560a"],
    pattern:
      /(?:%(?:25)?0d%(?:25)?0a|%(?:25)?0a|%e5%98%8a(?:%e5%98%8d)?)\s{0,3}(?:set-cookie|location|content-(?:type|length)|host|refresh|x-[a-z-]{2,30}|transfer-encoding|http\/1|bcc|cc|to|<)\s{0,3}(?:%3a|:|\.|script)/,
    argumentConfidence: 0.9,
    proseConfidence: 0.7,
  },
  {
    label: "header", // escaped line break, unless in code that writes HTTP responses
    needles: ["\\r\\n"],
    pattern: /\\r\\n\s{0,3}(?:set-cookie|location|refresh|transfer-encoding|bcc)\s{0,3}:/,
    unless: /http\/1\.[01]|set-cookie:[^\n]{0,80}\\r\\nset-cookie/,
    argumentConfidence: 0.8,
    proseConfidence: 0.4,
  },
  {
    label: "header", // line break and header in a short value
    needles: ["\r", "\nset-cookie", "\nbcc:", "\nlocation:"],
    pattern:
      /^[^\r\n]{0,80}\r\n(?:set-cookie|location|content-length|refresh|transfer-encoding)\s{0,2}:|^[^\n]{0,80}\nbcc\s{0,2}:/,
    argumentConfidence: 0.75,
    proseConfidence: 0.2,
  },
  {
    label: "xml", // <!ENTITY x SYSTEM "file:///…">
    needles: ["<!entity", "<!doctype", "xi:include"],
    pattern:
      /<!entity\s{1,9}(?:%\s{1,9})?[\w.-]{1,60}\s{1,9}(?:system|public)\b|<!entity\s{1,9}(\w{1,30})\s{1,9}["'](?:&\w{1,30};){4}|<!doctype\s{1,9}[\w.:-]{1,60}\s{1,9}system\s{1,9}["'](?:file|https?|ftp|php|expect|jar|gopher):|<xi:include\s[^>]{0,120}href\s{0,3}=\s{0,3}["']?(?:file|\/)/,
    argumentConfidence: 0.95,
    proseConfidence: 0.75,
  },
  {
    label: "ssrf", // cloud metadata service
    needles: [
      "169.254",
      "metadata.goo",
      "100.100.100.200",
      "192.0.0.192",
      "fd00:ec2",
      "instance-data",
      "2852039166",
      "0xa9fea9fe",
      "0251.",
      "a9fe",
    ],
    pattern: pattern(String.raw`(?:^|//|@|[\s"'=(])${METADATA}(?=[/:?#\s"'.)\]]|$)`),
    argumentConfidence: 0.9,
    proseConfidence: 0.7,
  },
  {
    label: "ssrf", // schemes for internal servers
    needles: ["gopher://", "dict://", "ldap://", "tftp://", "netdoc:", "jar:http"],
    pattern:
      /\b(?:gopher|dict|tftp):\/\/[\w.[\]-]{1,80}:\d|\bgopher:\/\/[^\s]{0,80}_|\bnetdoc:\/|\bjar:https?:\/\//,
    argumentConfidence: 0.85,
    proseConfidence: 0.6,
  },
  {
    label: "ssrf", // disguised address
    needles: ["http://", "https://"],
    pattern: pattern(
      String.raw`\bhttps?://(?:[^\s/@"']{1,60}@)?(?:${DISGUISED_HOST})(?=[/:?#\s"']|$)`,
    ),
    argumentConfidence: 0.75,
    proseConfidence: 0.5,
  },
];
