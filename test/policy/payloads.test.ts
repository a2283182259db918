/** Reads a payload of every style and compares it with its golden file: context, payload, expected texts. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/lib/json/json-object.ts";
import { parseStrict } from "../../src/lib/json/parse-strict.ts";
import type { Payload } from "../../src/policy/payload/payload.ts";
import { readPayload } from "../../src/policy/payload/read-payload.ts";

const FOLDER = "test/golden/payloads";

test.each(readdirSync(FOLDER))("payload style: %s", (file) => {
  const [about = "", payload = "", expected] = readFileSync(join(FOLDER, file), "utf8").split(
    "\n-----\n",
  );
  const parsed = parseStrict(Buffer.from(payload));
  if (!parsed.ok) throw new Error(parsed.reason);

  const read = readPayload(parsed.value as JsonObject, { attributes: {}, ...JSON.parse(about) });

  expect(`${lines(read).join("\n")}\n`).toBe(expected ?? "");
});

function lines({
  segments,
  calls,
  definitions,
  model,
  attachments,
  uninspected,
  tool,
}: Payload): string[] {
  return [
    ...segments.map(({ source, role, pointer, inner, text }) =>
      [source, role ?? "-", pointer, ...(inner === null ? [] : ["→", inner]), quoted(text)].join(
        " ",
      ),
    ),
    ...calls.map((call) => `call ${call.name} ${call.pointer} ${quoted(call.arguments)}`),
    ...definitions.map(({ name, pointer, schema }) => `tool ${name} ${pointer} ${quoted(schema)}`),
    ...(model === null ? [] : [`model ${model}`]),
    ...attachments.map((attachment) => `attachment ${quoted(attachment)}`),
    ...uninspected.map(({ pointer, reason }) => `uninspected ${pointer} ${reason}`),
    ...(tool.name === null ? [] : [`about the tool ${quoted(tool)}`]),
  ];
}

const quoted = (value: unknown) => JSON.stringify(value) ?? "undefined";
