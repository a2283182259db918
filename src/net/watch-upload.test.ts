import { expect, test } from "bun:test";
import { AppError } from "../contract/errors.ts";
import { watchUpload } from "./watch-upload.ts";

const timeout = new DOMException("The operation timed out.", "TimeoutError");
const never = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: () => new Promise(() => {}) });

test("the end of the body is told once it was read, not before", async () => {
  let sent = 0;
  const { stream } = watchUpload(new Blob(["body"]).stream(), () => sent++);
  const reader = stream.getReader();

  await reader.read();
  expect(sent).toBe(0);
  await reader.read();

  expect(sent).toBe(1);
});

test("a timeout while the sender is silent is the sender's", async () => {
  const { stream, fault } = watchUpload(never, () => {});

  expect(fault(timeout)).toBeUndefined();
  stream.getReader().read();
  await Bun.sleep(1);

  expect(fault(timeout)).toMatchObject({ code: "request_timeout", cause: timeout });
});

test("an error of ours inside the body comes out unchanged", async () => {
  const tooLarge = new AppError("too_large");
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.error(tooLarge),
  });
  const { stream, fault } = watchUpload(source, () => {});

  await expect(stream.getReader().read()).rejects.toBe(tooLarge);

  expect(fault(new TypeError("fetch failed"))).toBe(tooLarge);
});

test("cancelling reaches a source that was begun, and leaves an untouched one alone", async () => {
  const begun = new Blob(["body"]).stream();
  const untouched = new Blob(["body"]).stream();
  const upload = watchUpload(begun, () => {}).stream.getReader();

  await upload.read();
  await upload.cancel();
  await watchUpload(untouched, () => {}).stream.cancel();

  expect(begun.locked).toBe(true);
  expect(await new Response(untouched).text()).toBe("body");
});
