import { expect, test } from "bun:test";
import { classifyHost, isPublicAddress, resolveAny, resolvePublic } from "./address-guard.ts";

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "168.63.129.17",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2001:4860:4860::8888",
  "::ffff:8.8.8.8",
  "64:ff9b::8.8.8.8",
  "3fff:1000::1",
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  "0.0.0.0",
  "0.255.255.255",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.0",
  "100.100.100.200",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.0",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "0:0:0:0:0:0:0:1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "100::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "0:0:0:0:0:ffff:10.0.0.1",
  "::ffff:169.254.169.254",
  "::ffff:0:127.0.0.1",
  "::127.0.0.1",
  "::8.8.8.8",
  "64:ff9b::7f00:1",
  "64:ff9b::169.254.169.254",
  "64:ff9b:1::1.1.1.1",
  "2001::1",
  "2001:0:7f00:1::",
  "2001:1ff::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "3fff:fff::1",
  "4000::1",
  "",
  "localhost",
  "1.2.3",
  "01.2.3.4",
  "0x8.8.8.8",
  "8.8.8.8 ",
  "[2606:4700::1]",
])("%j is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  ["example.com", "name"],
  ["EXAMPLE.com.", "name"],
  ["metadata.google.internal", "name"],
  ["notlocalhost", "name"],
  ["localhost.example.com", "name"],
  ["8.8.8.8", "public_address"],
  ["134744072", "public_address"],
  ["[2606:4700::1]", "public_address"],
  ["2606:4700::1", "public_address"],
  ["localhost", "refused"],
  ["LocalHost.", "refused"],
  ["api.localhost", "refused"],
  ["127.0.0.1", "refused"],
  ["127.0.0.1.", "refused"],
  ["127.1", "refused"],
  ["2130706433", "refused"],
  ["0x7f000001", "refused"],
  ["0X7F.1", "refused"],
  ["0177.0.0.1", "refused"],
  ["017700000001", "refused"],
  ["0", "refused"],
  ["１２７。0。0。1", "refused"],
  ["%31%32%37.0.0.1", "refused"],
  ["169.254.43518", "refused"],
  ["[::1]", "refused"],
  ["[::ffff:10.0.0.1]", "refused"],
  ["[fe80::1%25eth0]", "refused"],
  ["1.2.3.4.5", "refused"],
  ["256.1.1.1", "refused"],
  ["", "refused"],
  [".", "refused"],
  ["example.com:80", "refused"],
  ["user@example.com", "refused"],
  ["example.com/path", "refused"],
  ["8.8.8.8\t", "refused"],
])("the host %j is: %s", (hostname, kind) => {
  expect(classifyHost(hostname)).toBe(kind as ReturnType<typeof classifyHost>);
});

const lookupReturning =
  (...addresses: string[]) =>
  async () =>
    addresses;
const never = async (): Promise<string[]> => {
  throw new Error("lookup");
};

test("4.3.5 a name is resolved, and only its public addresses may be dialed", async () => {
  const mixed = lookupReturning("10.0.0.1", "8.8.8.8", "::1", "2606:4700::1");

  expect(await resolvePublic("mixed.test", mixed)).toEqual(["8.8.8.8", "2606:4700::1"]);
});

test("4.3.5 a name that leads only to private addresses is refused", async () => {
  const refused = resolvePublic("rebind.test", lookupReturning("127.0.0.1", "169.254.169.254"));

  await expect(refused).rejects.toMatchObject({ code: "upstream_address_refused", status: 502 });
});

test("literal addresses and localhost are judged without asking anyone", async () => {
  expect(await resolvePublic("0x08.8.8.8", never)).toEqual(["8.8.8.8"]);
  await expect(resolvePublic("[::1]", never)).rejects.toMatchObject({
    code: "upstream_address_refused",
  });
  await expect(resolvePublic("a.localhost", never)).rejects.toMatchObject({
    code: "upstream_address_refused",
  });
});

test("a name that resolves to nothing, or not at all, is unreachable", async () => {
  await expect(resolvePublic("gone.test", lookupReturning())).rejects.toMatchObject({
    code: "upstream_unreachable",
  });
  await expect(resolvePublic("gone.test", never)).rejects.toMatchObject({
    code: "upstream_unreachable",
    cause: new Error("lookup"),
  });
});

test("a registry that may go private gets every address, from the system's own hosts file too", async () => {
  expect(await resolveAny("box.test", lookupReturning("10.0.0.1"))).toEqual(["10.0.0.1"]);
  expect(await resolveAny("[::1]", never)).toEqual(["::1"]);
  expect(await resolveAny("localhost")).toContain("127.0.0.1");
});
