import { expect, test } from "bun:test";
import { findClientAddress, parseAddressBlock, toAddressSubject } from "./ip-address.ts";

const blocks = (...texts: string[]) =>
  texts.map((text) => parseAddressBlock(text) ?? expect.unreachable(text));
const TRUSTED = blocks("10.0.0.0/8", "192.0.2.1", "fd00::/8");

test.each([
  ["no header", "10.1.1.1", null, "10.1.1.1"],
  ["a stranger's header is text", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["a trusted proxy reports its client", "10.1.1.1", "198.51.100.1", "198.51.100.1"],
  ["forged hops are further left", "10.1.1.1", "1.1.1.1, 2.2.2.2,198.51.100.1", "198.51.100.1"],
  ["several trusted proxies", "10.1.1.1", "198.51.100.1, 192.0.2.1, 10.2.2.2", "198.51.100.1"],
  ["a forged trusted hop", "10.1.1.1", "10.9.9.9, 198.51.100.1, 10.2.2.2", "198.51.100.1"],
  ["only trusted hops", "10.1.1.1", "10.3.3.3, 10.2.2.2", "10.3.3.3"],
  ["an invalid hop ends the list", "10.1.1.1", "198.51.100.1, unknown, 10.2.2.2", "10.2.2.2"],
  ["an empty header", "10.1.1.1", "", "10.1.1.1"],
  ["a port", "10.1.1.1", "198.51.100.1:4711", "198.51.100.1"],
  ["IPv6 with a port", "fd00::1", "[2001:db8::5]:4711", "2001:db8::5"],
  ["IPv4 written as IPv6", "::ffff:10.1.1.1", "::ffff:198.51.100.1", "198.51.100.1"],
  ["an octal address", "10.1.1.1", "0198.51.100.1", "10.1.1.1"],
])("%s", (_, socket, forwarded, client) => {
  expect(findClientAddress(socket, forwarded, TRUSTED)).toBe(client);
});

test("without trusted proxies the header is never read", () => {
  expect(findClientAddress("10.1.1.1", "198.51.100.1", [])).toBe("10.1.1.1");
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ["2001:DB8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["", ""],
])("%j is counted as %j", (address, subject) => {
  expect(toAddressSubject(address)).toBe(subject);
});

test.each(["", "abc", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/-1", "/8"])(
  "%j is not an address block",
  (text) => {
    expect(parseAddressBlock(text)).toBeUndefined();
  },
);

test("a block of length 0 contains every address", () => {
  expect(findClientAddress("203.0.113.9", "198.51.100.1", blocks("::/0"))).toBe("198.51.100.1");
});
