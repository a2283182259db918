/** Forms and uploads of a guarded consumer: text fields are evaluated, files if a rule reads them. */
import { expect, test } from "bun:test";
import { type FormPart, formBytes } from "../kit/dataplane.ts";
import { type Draft, makeDetector } from "../kit/guard.ts";
import { type GuardedOptions, makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kitOf = sharedKit();
const MAIL = "jane.doe@example.com";
const EDITS = "/v1/images/edits";
const IMAGE: FormPart = ["image", "pixels", "a.png"];

async function ruleOf(action: string, kind = "data_loss_prevention") {
  const { id } = await makeDetector(await kitOf(), kind);
  return [{ detector_id: id, action }];
}

const guarded = async (policy: Draft, options: GuardedOptions = {}) =>
  makeGuardedConsumer(await kitOf(), policy, options);

test.each<[string, FormPart[]]>([
  ["before the file", [["model", "m"], ["prompt", `Draw ${MAIL}`], IMAGE]],
  ["after the file", [IMAGE, ["prompt", `Draw ${MAIL}`], ["model", "m"]]],
])("a prompt %s is masked, and every other byte is kept", async (_, parts) => {
  await using it = await guarded({ input_rules: await ruleOf("transform") });

  const reply = await it.form(EDITS, parts);

  const sent = it.upstream.hits[0]?.body.toString() ?? "";
  const [mask] = /<[A-Z_]+>|\[[A-Z_ ]+\]|\*+/.exec(sent.split("Draw ")[1] ?? "") ?? [];
  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-ag-guard")).toBe("transform");
  expect(mask).toBeString();
  expect(sent.replace(mask ?? "", MAIL)).toBe(formBytes(parts).toString());
  expect(it.upstream.hits[0]?.headers["content-length"]).toBe(`${Buffer.byteLength(sent)}`);
});

test("a masked form also gets the default model", async () => {
  const attach = { models: { default: "m" } };
  await using it = await guarded({ input_rules: await ruleOf("transform") }, { attach });

  await it.form(EDITS, [["prompt", `Draw ${MAIL}`], IMAGE, ["size", "1x1"]]);

  const sent = it.upstream.hits[0]?.body.toString() ?? "";
  expect(sent).toContain('name="model"\r\n\r\nm\r\n');
  expect(sent).toContain('name="size"\r\n\r\n1x1\r\n');
  expect(sent).not.toContain(MAIL);
});

test("a blocked prompt is not sent upstream, nor is a prompt that is a file", async () => {
  await using it = await guarded({ input_rules: await ruleOf("block") });

  const blocked = await it.form(EDITS, [["model", "m"], ["prompt", MAIL], IMAGE]);
  const file = await it.form(EDITS, [["model", "m"], ["Prompt", MAIL, "p.txt"], IMAGE]);

  expect([blocked.status, file.status]).toEqual([403, 400]);
  expect(it.upstream.hits).toEqual([]);
});

test("the text of a transcription is evaluated as JSON and as text, the recording is not", async () => {
  const output_rules = await ruleOf("transform");
  await using it = await guarded({ input_rules: await ruleOf("block"), output_rules });
  const transcribe = async () => {
    const reply = await it.form("/v1/audio/transcriptions", [
      ["model", "m"],
      ["file", `sound of ${MAIL}`, "a.mp3"],
    ]);
    return {
      status: reply.status,
      guard: reply.headers.get("x-ag-guard"),
      text: await reply.text(),
    };
  };

  it.upstream.script({ body: { text: `Write to ${MAIL}.` } });
  const json = await transcribe();
  const headers = { "content-type": "text/plain; charset=utf-8" };
  it.upstream.script({ headers, body: `Write to ${MAIL}.\n` });
  const text = await transcribe();

  expect(json).toMatchObject({ status: 200, guard: "transform" });
  expect(JSON.parse(json.text).text).toStartWith("Write to ");
  expect(text).toMatchObject({ status: 200, guard: "transform" });
  expect(text.text).toMatch(/^Write to .*\.\n$/);
  expect(json.text + text.text).not.toContain(MAIL);
});

test("a gate applies to a form whose only content is a file", async () => {
  const when = { field: "model.name", op: "eq", value: "m" };
  await using it = await guarded({ gates: [{ name: "no m", when, action: "block" }] });

  const reply = await it.form("/v1/audio/transcriptions", [
    ["model", "m"],
    ["file", "sound", "a.mp3"],
  ]);

  expect([reply.status, it.upstream.hits.length]).toEqual([403, 0]);
});

test("images and speech pass, and their prompts are evaluated", async () => {
  const input_rules = await ruleOf("block");
  await using it = await guarded({ input_rules, output_rules: input_rules });
  const headers = { "content-type": "audio/mpeg" };
  it.upstream.script({ headers, body: `sound of ${MAIL}` });

  const speech = await it.post("/v1/audio/speech", { model: "m", input: "Hello", voice: "v" });
  const refused = [
    await it.post("/v1/audio/speech", { model: "m", input: MAIL, voice: "v" }),
    await it.post("/v1/images/generations", { model: "m", prompt: MAIL }),
    await it.post("/v1/embeddings", { model: "m", input: ["Hello", MAIL] }),
    await it.post("/v1/responses", { model: "m", input: MAIL }),
  ];

  expect(speech.status).toBe(200);
  expect(await speech.text()).toBe(`sound of ${MAIL}`);
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(it.upstream.hits).toHaveLength(1);
});

test("an uploaded file is evaluated if a rule reads attachments, and otherwise listed", async () => {
  const file: FormPart = ["file", `Mail ${MAIL}`, "notes.txt"];
  const parts: FormPart[] = [["purpose", "assistants"], file];
  const script = { body: { id: "file-1" } };
  await using plain = await guarded({ input_rules: await ruleOf("block") }, { script });
  const input_rules = await ruleOf("block", "doc_analyzer");
  await using reading = await guarded({ input_rules }, { script });
  const settings = { reasons: ["not_opened"] };
  const { id } = await makeDetector(await kitOf(), "uninspected", settings);
  const unread_rules = [{ detector_id: id, action: "block" }];
  await using strict = await guarded({ input_rules: unread_rules }, { script });

  const passed = await plain.form("/v1/files", parts);
  const blocked = await reading.form("/v1/files", parts);
  const clean = await reading.form("/v1/files", [
    ["purpose", "assistants"],
    ["file", "Hi", "a.txt"],
  ]);
  const refused = await strict.form("/v1/files", parts);

  expect(passed.status).toBe(200);
  expect(passed.headers.get("x-ag-guard")).toBe("allow");
  const [recorded] = await plain.evaluations(passed.headers.get("x-ag-trace-id"));
  expect(recorded?.detectors).toMatchObject({
    uninspected: [{ pointer: "", reason: "not_opened" }],
  });
  expect(refused.status).toBe(403);
  expect(plain.upstream.hits[0]?.body).toEqual(formBytes(parts));
  expect(blocked.status).toBe(403);
  expect(clean.status).toBe(200);
  expect(clean.headers.get("x-ag-guard")).toBe("allow");
  expect(reading.upstream.hits).toHaveLength(1);
});

test.each([
  [EDITS, IMAGE],
  ["/v1/audio/transcriptions", ["file", "sound", "a.mp3"]],
] as const)(
  "a file that is sent to %s is listed as media, and a rule can block it",
  async (path, part) => {
    const { id } = await makeDetector(await kitOf(), "uninspected", { reasons: ["media"] });
    await using it = await guarded({ input_rules: [{ detector_id: id, action: "block" }] });

    const reply = await it.form(path, [["model", "m"], part as FormPart]);

    expect([reply.status, it.upstream.hits.length]).toEqual([403, 0]);
  },
);

test("a part of an upload is evaluated like a file", async () => {
  const script = { body: { id: "part_1" } };
  const input_rules = await ruleOf("block", "doc_analyzer");
  await using it = await guarded({ input_rules }, { script });

  const blocked = await it.form("/v1/uploads/upload_1/parts", [["data", `Mail ${MAIL}`, "part"]]);
  const clean = await it.form("/v1/uploads/upload_1/parts", [["data", "Hi", "part"]]);

  expect([blocked.status, clean.status]).toEqual([403, 200]);
  expect(it.upstream.hits).toHaveLength(1);
});

test("the name of an uploaded file is evaluated", async () => {
  await using it = await guarded({ input_rules: await ruleOf("block", "doc_analyzer") });

  const reply = await it.form("/v1/files", [["file", "Hi", `${MAIL} notes.txt`]]);

  expect([reply.status, it.upstream.hits.length]).toEqual([403, 0]);
});

test("an empty file is uploaded, and its name is evaluated", async () => {
  const { id } = await makeDetector(await kitOf(), "uninspected");
  const input_rules = [
    ...(await ruleOf("block", "doc_analyzer")),
    { detector_id: id, action: "block" },
  ];
  await using it = await guarded({ input_rules });

  const uploaded = await it.form("/v1/files", [["file", "", "a.txt"]]);
  const blocked = await it.form("/v1/files", [["file", "", `${MAIL}.txt`]]);

  expect([uploaded.status, blocked.status, it.upstream.hits.length]).toEqual([200, 403, 1]);
});

test.each(["block", "transform"])(
  "names of images and recordings are evaluated: %s",
  async (action) => {
    await using it = await guarded({ input_rules: await ruleOf(action) });
    const model: FormPart = ["model", "m"];

    const statuses = [];
    for (const [path, field] of [
      [EDITS, "image"],
      ["/v1/images/variations", "image"],
      ["/v1/audio/transcriptions", "file"],
    ] as const) {
      for (const name of [`${MAIL}.png`, "a.png"]) {
        statuses.push((await it.form(path, [model, [field, "pixels", name]])).status);
      }
    }

    expect(statuses).toEqual([403, 200, 403, 200, 403, 200]);
  },
);

test("a mask cannot complete a delimiter, which would add a field that was not checked", async () => {
  const entity = { entity: "credit_card", mask_with: "REDACTED" };
  const { id } = await makeDetector(await kitOf(), "data_loss_prevention", {
    predefined_entities: [entity],
  });
  await using it = await guarded({ input_rules: [{ detector_id: id, action: "transform" }] });
  const field = (name: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n`;
  const prompt = `Hi\r\n--a=4111 1111 1111 1111\r\n${field("model")}other`;
  const delimiter = "--a=REDACTED";
  const body = `${delimiter}\r\n${field("model")}m\r\n${delimiter}\r\n${field("prompt")}${prompt}\r\n${delimiter}--\r\n`;
  const headers = { "content-type": 'multipart/form-data; boundary="a=REDACTED"' };

  const reply = await it.call(EDITS, { method: "POST", headers, body });

  expect(reply.status).toBe(403);
  expect(it.upstream.hits).toEqual([]);
});

test("text fields beyond 1 MiB are a 400, files beyond 20 MiB follow the fail mode", async () => {
  const long: FormPart = ["prompt", "x".repeat(1024 * 1024 + 1)];
  const parts: FormPart[] = [["file", "x".repeat(20 * 1024 * 1024 + 1), "notes.txt"]];
  const input_rules = await ruleOf("block", "doc_analyzer");
  await using closed = await guarded({ input_rules });
  await using open = await guarded({ input_rules }, { collector: { fail_mode: "open" } });

  const prompt = await closed.form(EDITS, [["model", "m"], long, IMAGE]);
  const refused = await closed.form("/v1/files", parts);
  const passed = await open.form("/v1/files", parts);

  expect([prompt.status, refused.status, passed.status]).toEqual([400, 503, 200]);
  expect(await refused.json()).toMatchObject({ error: { code: "guard_unavailable" } });
  expect(closed.upstream.hits).toEqual([]);
  expect(open.upstream.hits[0]?.body.length).toBe(formBytes(parts).length);
  const [recorded] = await open.evaluations(passed.headers.get("x-ag-trace-id"));
  expect(recorded).toMatchObject({ detectors: { uninspected: [{ reason: "unreadable" }] } });
});
