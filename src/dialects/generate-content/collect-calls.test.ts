import { expect, test } from "bun:test";
import { createCallCollector } from "./collect-calls.ts";

const SIZE = 15 * 1024;
const text = "a".repeat(SIZE);

test.each([
  [
    "names",
    (at: number) => ({ partialArgs: [{ jsonPath: `$['${at}${text}']`, nullValue: null }] }),
  ],
  ["texts", (at: number) => ({ partialArgs: [{ jsonPath: `$.a${at}`, stringValue: text }] })],
  ["arguments", (at: number) => ({ args: { [`a${at}`]: text } })],
])("the %s of a call that does not end are limited to 16 MiB", (_, createPart) => {
  const calls = createCallCollector();
  calls.add({ functionCall: { name: "get_weather", willContinue: true } });
  let added = 0;
  const addAll = () => {
    for (; added < 5000; added++) {
      calls.add({ functionCall: { ...createPart(added), willContinue: true } });
    }
  };

  expect(addAll).toThrow("is too long to be translated");
  expect(added * SIZE).toBeWithin(15 * 1024 * 1024, 16 * 1024 * 1024);
});
