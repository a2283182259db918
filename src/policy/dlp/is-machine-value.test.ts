import { expect, test } from "bun:test";
import { createSegment } from "../segment.ts";
import { findEntities } from "./find-entities.ts";

/** Returns the cards and phone numbers above the default minimum confidence. */
const find = (text: string) =>
  findEntities(createSegment(text, "user", { pointer: "/input" }))
    .filter(({ entity, confidence }) => /card|phone/.test(entity) && confidence >= 0.5)
    .map(({ entity, start, end }) => `${entity}=${text.slice(start, end)}`);

// Lines of HDFS_2k.log and Mac_2k.log (github.com/logpai/loghub), and output of the tools on /usr/bin/ls and bash.
test.each([
  [
    "a block id",
    "081109 210022 1110 INFO dfs.DataBlockScanner: Verification succeeded for blk_-4980916519894289629",
  ],
  ["a block id", "081110 145703 is added to blk_-4174618838156947380 size 67108864"],
  ["xxd -g1", "000008b0: 08 10 88 14 80 c0 40 a0 45 3c e0 00 09 06 14  .......@.E<....."],
  ["hexdump -C", "00003a90  33 1a 29 59 0c 7a d0 ea  6b e3 dc 04 52 88 99 82  |3.)Y.z..k...R...|"],
  ["od -A x", "0049c0 48 8b 3d 49 0c 02 00 0f be f0 ba 01 00 00 00 49  >H.=I..<"],
  ["the address", "63 61 6c 6c 65 72 5f  |creplace.caller_|\n00015810  62 75 69 6c"],
  ["objdump", "    4848:\t05 83 00 00 00       \tadd    $0x83,%eax"],
  ["od -t d8", "0013620  2627129227089579008\n0013640 -4862745192118927072  1081425225230319620\n"],
  ["wide columns", "0005120  3301886237721822352\n0005140    4950599981372277764    7\n"],
  ["a time", "auto updated at `Sat Aug 05 2023 02:36:31 GMT+0800`"],
  ["a time zone", "instance=~.+0  2017-08-02 22:41:39 UTC"],
])("a value in the output of a program is no card and no phone number: %s, %p", (_, text) => {
  expect(find(text)).toEqual([]);
});

test.each([
  ...["id", "_id", "node_id", "blockId", "gid", "id_str", "media_id_string", "uuid", "sha"],
  ...["hash", "hashCode", "md5", "crc32", "checksum", "digest", "etag", "inode", "next_token"],
  ...["timestamp_ns", "serialNumber"],
])("the value of a JSON member named %s is no card", (name) => {
  const shapes = ['"4111111111111111"', "4111111111111111", "-4111111111111111"];

  const found = shapes.flatMap((value) =>
    find(`{"object":"page","${name}":${value}}\n{\n  "${name}": ${value}\n}`),
  );

  expect(found).toEqual([]);
});

test.each(["card", "card_number", "cardNumber", "number", "pan", "account", "value", "text"])(
  "the value of a JSON member named %s may be a card",
  (name) => {
    const shapes = ['"4111111111111111"', "4111111111111111"];

    const found = shapes.map((value) => find(`{"object":"card","${name}":${value}}`)[0]);

    expect(found).toEqual(["credit_card=4111111111111111", "credit_card=4111111111111111"]);
  },
);

test.each([
  ["after a zero-padded number", "0012345 4111111111111111", "credit_card=4111111111111111"],
  ["in groups, after one", "00012345: 4111 1111 1111 1111", "credit_card=4111 1111 1111 1111"],
  ["after one", "0012345  030 901820", "phone_number=030 901820"],
  ["after a dash", "Card no:-4111111111111111", "credit_card=4111111111111111"],
  ["in an id, in groups", '{"id": "4111 1111 1111 1111"}', "credit_card=4111 1111 1111 1111"],
  ["before a year", "+4915112345678:1990", "phone_number=+4915112345678"],
])("a card or phone number is found %s: %p", (_, text, found) => {
  expect(find(text)).toContain(found);
});
