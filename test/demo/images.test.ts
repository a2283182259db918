/** Images of the demo upstream: real PNG files, decoded here by a reader of their own. */
import { expect, test } from "bun:test";
import { crc32, inflateSync } from "node:zlib";
import { startDemo } from "./start-demo.ts";

/** Checks every checksum on the way; pixels are rows of RGB triples without the filter byte. */
function decode(b64: string) {
  const file = Buffer.from(b64, "base64");
  expect(file.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
  const chunks: Record<string, Buffer> = {};
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const body = file.subarray(at + 4, at + 8 + length);
    expect(file.readUInt32BE(at + 8 + length)).toBe(crc32(body));
    chunks[body.toString("latin1", 0, 4)] = body.subarray(4);
    at += 12 + length;
  }
  expect(Object.keys(chunks)).toEqual(["IHDR", "IDAT", "IEND"]);
  const header = chunks.IHDR ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const raw = inflateSync(chunks.IDAT ?? Buffer.alloc(0));
  const stride = 1 + 3 * width;
  expect(raw.length).toBe(stride * height);
  expect(Array.from({ length: height }, (_, y) => raw[y * stride])).toEqual(Array(height).fill(0));
  const pixel = (x: number, y: number) => [...raw.subarray(y * stride + 1 + 3 * x).subarray(0, 3)];
  return { width, height, pixel, raw };
}

test("a prompt gives a picture that decodes, with letters over a gradient", async () => {
  await using demo = startDemo();

  const body = { model: "any", prompt: "Hello fox", size: "256x128" };
  const { data, size } = await (await demo.post("images/generations", body)).json();

  const { width, height, pixel, raw } = decode(data[0].b64_json);
  expect([width, height, size]).toEqual([256, 128, "256x128"]);
  expect(pixel(0, 0)).not.toEqual(pixel(0, 127));
  expect(raw.includes(Buffer.from([255, 255, 255]))).toBe(true);
});

test("the picture follows the prompt: the same for the same, another for another", async () => {
  await using demo = startDemo();
  const ask = async (prompt: string) =>
    (await (await demo.post("images/generations", { prompt, size: "64x64" })).json()).data[0]
      .b64_json;

  const [fox, again, hen] = [await ask("fox"), await ask("fox"), await ask("hen")];

  expect(again).toBe(fox);
  expect(hen).not.toBe(fox);
});

test("n gives that many different pictures, and url an address that holds the picture", async () => {
  await using demo = startDemo();

  const body = { prompt: "fox", n: 10, size: "64x64", response_format: "url" };
  const { data } = await (await demo.post("images/generations", body)).json();

  const urls: string[] = data.map(({ url }: { url: string }) => url);
  const fetched = await fetch(urls[0] ?? "");
  expect(new Set(urls).size).toBe(10);
  expect(fetched.headers.get("content-type")).toBe("image/png");
  expect(decode(Buffer.from(await fetched.arrayBuffer()).toString("base64")).width).toBe(64);
});

test.each(["1x1", "1024x1024", "3x900", "900x3"])("the size %s can be painted", async (size) => {
  await using demo = startDemo();

  const body = { prompt: "a long prompt ".repeat(50), size };
  const { data } = await (await demo.post("images/generations", body)).json();

  const { width, height } = decode(data[0].b64_json);
  expect(`${width}x${height}`).toBe(size);
});

test("an edit and a variation have the size of the uploaded PNG", async () => {
  await using demo = startDemo();
  const drawn = await demo.post("images/generations", { prompt: "fox", size: "120x80" });
  const bytes = Buffer.from((await drawn.json()).data[0].b64_json, "base64");
  const image = new File([bytes], "fox.png", { type: "image/png" });

  const edit = await (await demo.form("images/edits", { image, prompt: "hat", model: "m" })).json();
  const vary = await (await demo.form("images/variations", { image, n: "2" })).json();

  expect(decode(edit.data[0].b64_json)).toMatchObject({ width: 120, height: 80 });
  expect(vary.data).toHaveLength(2);
  expect(decode(vary.data[1].b64_json)).toMatchObject({ width: 120, height: 80 });
});

test("an upload larger than the demo paints is shrunk in proportion", async () => {
  await using demo = startDemo();
  const header = Buffer.from("89504e470d0a1a0a0000000d4948445200001000000008000806000000", "hex");
  const image = new File([header], "huge.png");

  const { size } = await (await demo.form("images/edits", { image, prompt: "hat" })).json();

  expect(size).toBe("1024x512");
});

test("a requested size overrides that of the upload, and an upload of another type gets the default size", async () => {
  await using demo = startDemo();
  const image = new File(["no png at all"], "x.jpg");

  const requested = await demo.form("images/edits", { image, prompt: "hat", size: "32x16" });
  const usual = await demo.form("images/variations", { "image[]": image });

  expect((await requested.json()).size).toBe("32x16");
  expect((await usual.json()).size).toBe("512x512");
});
