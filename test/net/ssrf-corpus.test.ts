/** Every known spelling of a non-public address, as the URL of an attachment (spec 4.3.5). */
import { expect, test } from "bun:test";
import { isIP } from "node:net";
import { createAddressCache } from "../../src/net/address-cache.ts";
import { resolvePublic } from "../../src/net/address-guard.ts";
import { fetchAttachment } from "../../src/net/fetch-attachment.ts";
import { createSend } from "../../src/net/send.ts";

/** Hosts grouped by trick, separated by white space. */
const HOSTS: Record<string, string> = {
  "loopback, dotted": `
    127.0.0.1 127.0.0.2 127.0.1.1 127.1.1.1 127.127.127.127 127.255.255.254 127.255.255.255`,
  "loopback, short forms": `
    127.1 127.0.1 127.65535 127.16777215 127.0.257 0x7f.1 0177.1 127.0x1 127.01`,
  "loopback, one number": `
    2130706433 2130706434 2147483647 017700000001 0017700000001 0x7f000001 0X7F000001 0x007f000001
    0x7F000001. 2130706433.`,
  "loopback, octal and hex parts": `
    0177.0.0.1 00177.0.0.1 0177.0.0.01 0177.00.00.01 0177.0000.0000.0001 0x7f.0.0.1 0x7f.0x0.0x0.0x1
    0x7F.0X0.0X0.0X1 0x7f.0.0x1 0177.0x0.0.1 127.0.0.0x1 127.0.0.01 0x0000007f.0.0.1`,
  "loopback, trailing dots": `127.0.0.1. 127.1. localhost. LOCALHOST. app.localhost.`,
  "localhost and below": `
    localhost LOCALHOST LocalHost loc%61lhost %6c%6f%63%61%6c%68%6f%73%74 app.localhost a.b.localhost
    ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ lo\u00adcalhost localhost。 app。localhost`,
  "full-width and circled digits": `
    １２７.0.0.1 １２７．０．０．１ ①②⑦.⓪.⓪.① 127.0.0.① ２１３０７０６４３３ 0ｘ7f000001 ０ｘ７ｆ.１
    𝟏𝟐𝟕.𝟎.𝟎.𝟏 ⑯⑨.254.169.254 １６９．２５４．１６９．２５４ 1⁶9.254.169.254`,
  "other dots": `127。0。0。1 127．0．0．1 127｡0｡0｡1 169。254。169。254 10。0。0。1 １９２。１６８。０。１`,
  "percent-encoded": `
    %31%32%37.0.0.1 127%2e0%2e0%2e1 %31%36%39%2e%32%35%34%2e%31%36%39%2e%32%35%34 127.0.0.%31
    %30x7f000001 127.0.0.1%2f 127.0.0.1%00 127.0.0.1%20 127.0.0.1%09 127.0.0.1%0d%0a 127.0.0.1%23
    %5b%3a%3a1%5d %EF%BC%91%EF%BC%92%EF%BC%97.0.0.1 %2531%2532%2537.0.0.1`,
  "this network": `
    0.0.0.0 0 0.0 0.0.0 00 0x0 0x00000000 000000000000 0.1.2.3 0.255.255.255 0. 0.0.0.0.`,
  private: `
    10.0.0.0 10.0.0.1 10.255.255.255 10.1 10.0.1 0xa.0.0.1 012.0.0.1 167772161 0x0a000001 01200000001
    172.16.0.1 172.31.255.254 172.16.1 0xac.0x10.0.1 2886729729 0254.020.0.1 192.168.0.1
    192.168.255.255 192.168.1 0xc0a80001 3232235521 0300.0250.0.1 0xc0.0xa8.0.1 030052000001`,
  "link-local and the metadata address": `
    169.254.0.1 169.254.169.254 169.254.169.254. 169.254.43518 169.16689662 2852039166 0xa9fea9fe
    0xA9.0xFE.0xA9.0xFE 0251.0376.0251.0376 025177524776 0251.254.169.254 169.254.0xa9fe
    0251.00376.000251.0000376 169.254.169.253 169.254.170.2 169.254.255.255`,
  "metadata of other clouds": `
    100.100.100.200 1684301000 0x646464c8 0144.0144.0144.0310 192.0.0.192 168.63.129.16 2822734096
    0xa83f8110 169.254.169.123 169.254.42.42`,
  "carrier-grade NAT": `100.64.0.0 100.64.0.1 100.127.255.255 0x64400001 1681915905 0144.0100.0.1`,
  "multicast, reserved, documentation, benchmarks": `
    224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 4294967295 0xffffffff 037777777777
    192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 198.19.255.255 192.88.99.1 192.0.0.1`,
  "numbers too large for an address": `
    4294967296 0x100000000 256.256.256.256 127.0.0.256 1.2.3.4.5 127.0.0.1.1 0x7f.0.0.0.1 09.0.0.1
    4425673729 99999999999999999999`,
  "IPv6 loopback and unspecified": `
    [::1] [::] [0:0:0:0:0:0:0:1] [0:0:0:0:0:0:0:0] [0000:0000:0000:0000:0000:0000:0000:0001]
    [::0001] [0::1] [0:0::1] [::0:1] [::0]`,
  "IPv4 in IPv6, mapped": `
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:127.0.0.1] [0:0:0:0:0:ffff:127.0.0.1]
    [0:0:0:0:0:ffff:7f00:0001] [0000::ffff:7f00:1] [::ffff:169.254.169.254] [::ffff:a9fe:a9fe]
    [::ffff:10.0.0.1] [::ffff:a00:1] [::ffff:192.168.0.1] [::ffff:0.0.0.0] [::ffff:0:0]
    [::ffff:100.64.0.1] [::ffff:172.16.0.1]`,
  "IPv4 in IPv6, compatible and translated": `
    [::127.0.0.1] [::7f00:1] [::169.254.169.254] [::a9fe:a9fe] [::ffff:0:127.0.0.1]
    [::ffff:0:7f00:1] [::10.0.0.1]`,
  NAT64: `
    [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::169.254.169.254] [64:ff9b::a9fe:a9fe]
    [64:ff9b::10.0.0.1] [64:ff9b:0:0:0:0:7f00:1] [64:ff9b:1::7f00:1] [64:ff9b:1:fffe::10.0.0.1]`,
  "6to4 and Teredo": `
    [2002:7f00:1::] [2002:7f00:0001::1] [2002:a9fe:a9fe::] [2002:a00:1::] [2002:c0a8:1::1]
    [2001::1] [2001:0:7f00:1::] [2001:0000:4136:e378:8000:63bf:3fff:fdd2] [2001:0:a9fe:a9fe::]`,
  "IPv6 of our own network": `
    [fc00::1] [fd00::1] [fdff:ffff::1] [fd00:ec2::254] [FD00:EC2::254] [fd20:ce::254] [fe80::1]
    [fe80::a9fe:a9fe] [febf::1] [fec0::1] [ff01::1] [ff02::1] [ff05::2] [ff0e::1] [100::1]
    [2001:db8::1] [2001:2::1] [2001:10::1] [3fff::1] [5f00::1] [4000::1] [fd00:42::42]`,
  "zone ids": `
    [fe80::1%25eth0] [fe80::1%eth0] [::1%25lo] [::1%lo] [fe80::1%251] [fe80::a9fe:a9fe%25eth0]`,
  "brackets that hold no address": `
    [127.0.0.1] [localhost] [::1 ::1] [] [::ffff:127.1] [::ffff:0x7f.0.0.1] [::1]. [v1.fe80::1]`,
  "names that lead inside": `
    metadata metadata.google.internal metadata.google.internal. METADATA.GOOGLE.INTERNAL
    metadata.goog metadata.azure.internal instance-data instance-data.ec2.internal
    metadata.tencentyun.com kubernetes.default.svc host.docker.internal gateway.docker.internal
    127.0.0.1.nip.io 127-0-0-1.nip.io 7f000001.nip.io 10.0.0.1.sslip.io 169.254.169.254.nip.io
    www.192-168-0-1.sslip.io --1.sslip.io localtest.me lvh.me vcap.me xip.test rebind.test
    mixed-private.test six.test mapped.test`,
};

/** Complete URLs: the trick is around the host. */
const URLS = [
  "https://user@127.0.0.1/",
  "https://user:secret@169.254.169.254/",
  "https://example.com@127.0.0.1/",
  "https://example.com:443@127.0.0.1/",
  "https://example.com%40@127.0.0.1/",
  "https://127.0.0.1@example.com/",
  "https://@127.0.0.1/",
  "https://:@127.0.0.1/",
  "https://127.0.0.1#@example.com/",
  "https://127.0.0.1?@example.com/",
  "https://127.0.0.1\\@example.com/",
  "https://127.0.0.1%5c@example.com/",
  "https:\\\\127.0.0.1\\",
  "https:/127.0.0.1/",
  "https:127.0.0.1",
  "https:///127.0.0.1/",
  "https:////127.0.0.1/",
  "https:/\\127.0.0.1/",
  "https:\\/\\/127.0.0.1/",
  "HTTPS://127.0.0.1/",
  " https://127.0.0.1/ ",
  "\thttps://127.0.0.1/",
  "https://127.0.0.1\t/",
  "https://127.0.\n0.1/",
  "https://12\r\n7.0.0.1/",
  "ht\ttps://127.0.0.1/",
  "https://127.0.0.1\0/",
  "https://127.0.0.1 /",
  "https://127.0.0.1\u200b/",
  "https://127.0.0.1\u2060:443/",
  "https://\ufeff127.0.0.1/",
  "https://127.0.0.1:443/",
  "https://127.0.0.1:0443/",
  "https://127.0.0.1:8443/",
  "https://127.0.0.1:/",
  "https://[::1]:8443/",
  "https://127.0.0.1:65536/",
  "https://example.com:22/",
  "https://example.com:25/",
  "https://example.com:80/",
  "https://example.com:0/",
  "http://example.com/",
  "http://127.0.0.1/",
  "//127.0.0.1/",
  "127.0.0.1",
  "ftp://127.0.0.1/",
  "file:///etc/passwd",
  "file://127.0.0.1/etc/passwd",
  "data:text/plain,secret",
  "blob:https://127.0.0.1/1",
  "gopher://127.0.0.1:6379/_INFO",
  "dict://127.0.0.1:11211/stats",
  "ldap://127.0.0.1/",
  "s3://bucket/object",
  "unix:///var/run/docker.sock",
  "javascript:alert(1)",
  "https://",
  "https:",
  "",
];

const NAMES: Record<string, string[]> = {
  metadata: ["169.254.169.254"],
  "metadata.google.internal": ["169.254.169.254"],
  "metadata.goog": ["fd20:ce::254"],
  "metadata.azure.internal": ["169.254.169.254"],
  "instance-data": ["169.254.169.254"],
  "instance-data.ec2.internal": ["fd00:ec2::254"],
  "metadata.tencentyun.com": ["169.254.0.23"],
  "kubernetes.default.svc": ["10.96.0.1"],
  "host.docker.internal": ["172.17.0.1"],
  "gateway.docker.internal": ["192.168.65.1"],
  "7f000001.nip.io": ["127.0.0.1"],
  "--1.sslip.io": ["::1"],
  "localtest.me": ["::1", "127.0.0.1"],
  "lvh.me": ["127.0.0.1"],
  "vcap.me": ["127.0.0.1"],
  "xip.test": ["0.0.0.0"],
  "rebind.test": ["127.0.0.1", "::1"],
  "mixed-private.test": ["10.0.0.1", "fe80::1%eth0", "224.0.0.1"],
  "six.test": ["2002:7f00:1::", "64:ff9b::a00:1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "example.com": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "half.test": ["10.0.0.1", "93.184.215.14"],
};

/** A name server that also resolves the address in a name, like nip.io. */
async function lookup(hostname: string): Promise<string[]> {
  const written = /(\d+)[.-](\d+)[.-](\d+)[.-](\d+)\.(?:nip|sslip)\.io$/.exec(hostname);
  return NAMES[hostname] ?? (written ? [written.slice(1, 5).join(".")] : []);
}

const send = createSend({ addresses: createAddressCache({ lookup }), maxConnectMs: 200 });
const hosts = Object.entries(HOSTS).flatMap(([trick, text]) =>
  text
    .trim()
    .split(/\s+/)
    .map((host) => ({ trick, url: `https://${host}/latest/meta-data/` })),
);
const corpus = [...hosts, ...URLS.map((url) => ({ trick: "around the host", url }))];

test.each(corpus)("4.3.5 rejected without a dial, $trick: $url", async ({ url }) => {
  const refused = fetchAttachment(send, url).catch((error: { code: string }) => error.code);

  // Had it been dialed or looked up in vain, the code would be upstream_unreachable.
  expect(["upstream_address_refused", "invalid_request"]).toContain(String(await refused));
});

test("4.3.5 the corpus has at least 200 distinct spellings", () => {
  expect(new Set(corpus.map(({ url }) => url)).size).toBe(corpus.length);
  expect(corpus.length).toBeGreaterThanOrEqual(200);
});

test.each([
  ["example.com", 2],
  ["example.com.", 2],
  ["EXAMPLE。com", 2],
  ["8.8.8.8", 1],
  ["134744072", 1],
  ["0x08080808", 1],
  ["[2606:4700:4700::1111]", 1],
  ["[::ffff:8.8.8.8]", 1],
  ["[64:ff9b::808:808]", 1],
  ["half.test", 1],
  ["8.8.8.8.nip.io", 1],
])("4.3.5 %s passes the guard with %i addresses to dial", async (host, count) => {
  const addresses = await resolvePublic(new URL(`https://${host}/`).hostname, lookup);

  expect(addresses).toHaveLength(count);
  expect(addresses.every((address) => isIP(address) !== 0)).toBe(true);
});
