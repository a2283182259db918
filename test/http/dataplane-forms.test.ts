/** Multipart forms: which field is their `model`, when they are forwarded, and with which model. */
import { expect, test } from "bun:test";
import { FORM_TYPE, type FormPart, formBytes, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { type ReceivedRequest, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const EDITS = "/v1/images/edits";
const BOUNDARY = "----test-Boundary_7";

const setUp = (() => {
  let made: ReturnType<typeof make> | undefined;
  const make = async () => {
    const upstream = startUpstream();
    const consumer = async (provider: string, models: object, more = {}) =>
      await makeConsumer(await kit(), [{ provider, url: `${upstream.url}/v1`, models }], more);
    const limits = { allowed: ["cheap"], default: "cheap" };
    return {
      upstream,
      limited: await consumer("openai", limits),
      azure: await consumer("azure", limits),
      free: await consumer("openai", {}),
    };
  };
  return () => {
    made ??= make();
    return made;
  };
})();

type Caller = Awaited<ReturnType<typeof setUp>>["limited"];

async function hitsDuring(work: () => Promise<unknown>): Promise<ReceivedRequest[]> {
  const { upstream } = await setUp();
  const before = upstream.hits.length;
  await work();
  return upstream.hits.slice(before);
}

const send = (consumer: Caller, body: string | Buffer<ArrayBuffer>, type = FORM_TYPE) =>
  consumer.call(EDITS, { method: "POST", headers: { "content-type": type }, body });

async function readError(reply: Response): Promise<[number, string | undefined]> {
  const { error } = (await reply.json()) as { error?: { code: string } };
  return [reply.status, error?.code];
}

/** Builds a form with one part per pair of header block and content. */
const raw = (...parts: [headers: string, content: string][]) =>
  `${parts.map(([headers, content]) => `--${BOUNDARY}\r\n${headers}\r\n\r\n${content}\r\n`).join("")}--${BOUNDARY}--\r\n`;
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`;
const CHEAP: [string, string] = [named("model"), "cheap"];

test.each([
  ["in another case", named("MODEL")],
  ["with a space", named(" model")],
  ["with an index", named("model[]")],
  ["with another index", named("model[0]")],
  ["with a percent-escape", named("mod%65l")],
  ["with escapes that are not UTF-8", named("mod%65l%00%ff")],
  ["with a lone %", named("mod%65l%")],
  ["as an index with a lone %", named("x[mod%65l%]")],
  ["as fallbacks with a lone %", named("fallb%61cks%")],
  ["in single quotes", "Content-Disposition: form-data; name='model'"],
  ["with a full-width letter", named("ｍodel")],
  ["as modelId", named("modelId")],
  ["as an encoded word", named("=?utf-8?Q?model?=")],
  ["in RFC 5987 spelling", "Content-Disposition: form-data; name*=UTF-8''model"],
  ["in pieces", `${named("x")}; name*0="mo"; name*1="del"`],
  ["after a vertical tab", `${named("x")};\vname="model"`],
  ["after a no-break space", `${named("x")};\u00a0name="model"`],
  ["as models", named("models[]")],
  ["as fallbacks", named("fallbacks")],
])(
  "a form field that may be read as a model %s is rejected under an allow-list",
  async (_, headers) => {
    const { limited } = await setUp();

    const hits = await hitsDuring(async () => {
      const reply = await send(limited, raw(CHEAP, [headers, "expensive"]));
      expect(await readError(reply)).toEqual([400, "invalid_request"]);
    });

    expect(hits).toHaveLength(0);
  },
);

/** Builds a form of two parts, the second of which contains a form with another boundary. */
const FORM_IN_FORM = raw(CHEAP, [
  `${named("a")}`,
  `\r\n--other\r\n${named("model")}\r\n\r\nexpensive\r\n--other--\r\n`,
]);

test.each([
  [
    "a part follows the closing delimiter",
    `${raw(CHEAP)}${raw([named("model"), "expensive"])}`,
    FORM_TYPE,
  ],
  [
    "a part precedes the first delimiter",
    `--other\r\n${named("model")}\r\n\r\nexpensive\r\n${raw(CHEAP)}`,
    FORM_TYPE,
  ],
  [
    "its first delimiter follows other text",
    `x${raw([named("model"), "expensive"], CHEAP)}`,
    FORM_TYPE,
  ],
  ["a second boundary is extended", FORM_IN_FORM, `${FORM_TYPE}; boundary*=utf-8''other`],
  ["a second boundary is in pieces", FORM_IN_FORM, `${FORM_TYPE}; boundary*0=other`],
  [
    "another parameter contains the word boundary",
    FORM_IN_FORM,
    `multipart/form-data; xboundary=other; boundary=${BOUNDARY}`,
  ],
  [
    "the boundary contains a comma outside quotes",
    FORM_IN_FORM.replaceAll(BOUNDARY, "other,x"),
    "multipart/form-data; boundary=other,x",
  ],
  [
    "a part is a multipart body",
    raw(CHEAP, [`${named("a")}\r\nContent-Type: multipart/mixed; boundary=other`, ""]),
    FORM_TYPE,
  ],
  ["the form has a charset", raw(CHEAP), `${FORM_TYPE}; charset=utf-7`],
  ["the form has an extended charset", raw(CHEAP), `${FORM_TYPE}; charset*=us-ascii'en'utf-7`],
  ["the form has a charset in pieces", raw(CHEAP), `${FORM_TYPE}; charset*0=utf-; charset*1=7`],
  ["the form has two charsets", raw(CHEAP), `${FORM_TYPE}; charset=utf-8; charset=utf-16`],
  ["the form has a _charset_ field", raw([named("_charset_"), "utf-16"], CHEAP), FORM_TYPE],
  [
    "the model has a charset",
    raw([`${CHEAP[0]}\r\nContent-Type: text/plain; charset=utf-16`, "cheap"]),
    FORM_TYPE,
  ],
  [
    "the model is base64",
    raw([`${CHEAP[0]}\r\nContent-Transfer-Encoding: base64`, "Y2hlYXA="]),
    FORM_TYPE,
  ],
  [
    "the model is quoted-printable",
    raw([`${CHEAP[0]}\r\nContent-Transfer-Encoding: quoted-printable`, "=63heap"]),
    FORM_TYPE,
  ],
  [
    "the name of a field is longer than 256 characters",
    raw(CHEAP, [named("a".repeat(257)), "b"]),
    FORM_TYPE,
  ],
  ["two models differ", raw(CHEAP, [named("model"), "expensive"]), FORM_TYPE],
  [
    "only one delimiter is padded",
    raw(CHEAP, [named("a"), "b"]).replace(BOUNDARY, `${BOUNDARY} `),
    FORM_TYPE,
  ],
])("a form is rejected for every consumer when %s", async (_, body, type) => {
  const { limited, free } = await setUp();

  const hits = await hitsDuring(async () => {
    for (const consumer of [limited, free]) {
      expect(await readError(await send(consumer, body, type))).toEqual([400, "invalid_request"]);
    }
  });

  expect(hits).toHaveLength(0);
});

test.each([
  ["charset utf-8", raw(CHEAP), `${FORM_TYPE}; charset=UTF-8`],
  ["the same model twice", raw(CHEAP, [named("a"), "b"], CHEAP), FORM_TYPE],
  [
    "transport padding",
    raw(CHEAP, [named("a"), "b"])
      .replaceAll(BOUNDARY, `${BOUNDARY} \t`)
      .replace(` \t--`, "--"),
    FORM_TYPE,
  ],
  [
    "a part in another charset",
    raw(CHEAP, [`${named("a")}\r\nContent-Type: text/plain; charset=latin1`, "b"]),
    FORM_TYPE,
  ],
])("a form with %s is forwarded byte for byte", async (_, body, type) => {
  const { limited } = await setUp();

  const hits = await hitsDuring(async () => {
    expect((await send(limited, body, type)).status).toBe(200);
  });

  expect(hits.map((hit) => hit.body.toString())).toEqual([body]);
});

test("a field `models` passes without an allow-list", async () => {
  const { free } = await setUp();

  const hits = await hitsDuring(async () => {
    expect((await send(free, raw(CHEAP, [named("models[]"), "expensive"]))).status).toBe(200);
  });

  expect(hits).toHaveLength(1);
});

test.each([
  ["a small form", 10],
  ["a form that already streams", 3 * 1024 * 1024],
])("%s without a closing delimiter never reaches an upstream completely", async (_, size) => {
  const { limited } = await setUp();
  const body = raw(CHEAP, [named("a"), "x".repeat(size)]).slice(0, -BOUNDARY.length - 6);

  const hits = await hitsDuring(async () => {
    expect(await readError(await send(limited, body))).toEqual([400, "invalid_request"]);
  });

  expect(hits.every((hit) => hit.body.length === 0)).toBe(true);
  if (size === 10) expect(hits).toHaveLength(0);
});

const PARTS: FormPart[] = [
  ["prompt", "a hat"],
  ["image", "\u0000\u0001PNG", "cat.png"],
];

test.each([
  ["names no model", PARTS, [...PARTS, ["model", "cheap"]]],
  ["asks for auto", [["model", "Auto"], ...PARTS], [["model", "cheap"], ...PARTS]],
  [
    "asks for auto twice",
    [["model", "auto"], ...PARTS, ["model", "auto"]],
    [["model", "cheap"], ...PARTS, ["model", "cheap"]],
  ],
] as [string, FormPart[], FormPart[]][])(
  "a form that %s is sent with the default model",
  async (_, parts, sent) => {
    const { limited } = await setUp();
    let reply: Response | undefined;

    const hits = await hitsDuring(async () => {
      reply = await limited.form(EDITS, parts);
    });

    expect(hits.map((hit) => hit.body.toString())).toEqual([formBytes(sent).toString()]);
    expect(hits[0]?.headers["content-length"]).toBe(String(formBytes(sent).length));
    expect(reply?.headers.get("x-selected-model")).toBe("cheap");
  },
);

test("a form is unchanged if the upstream path contains the model", async () => {
  const { azure } = await setUp();

  const hits = await hitsDuring(async () => {
    const reply = await azure.form(EDITS, PARTS);
    expect(reply.headers.get("x-selected-model")).toBe("cheap");
  });

  expect(hits.map((hit) => hit.body.toString())).toEqual([formBytes(PARTS).toString()]);
  expect(hits[0]?.path).toContain("/deployments/cheap/");
});

test("X-Selected-Model is the pin if the form still contains it", async () => {
  const { limited, azure } = await setUp();

  const reply = await limited.form(EDITS, [["model", "@openai/cheap"], ...PARTS]);
  const other = await azure.form(EDITS, [["model", "@azure/cheap"], ...PARTS]);

  expect(reply.headers.get("x-selected-model")).toBe("@openai/cheap");
  expect(other.headers.get("x-selected-model")).toBe("cheap");
});
