/** Runs the curl examples through a real shell and validates their bodies. */
import { expect, test } from "bun:test";
import { adminRoutes } from "../../admin/routes.ts";
import { buildOpenApi, METHODS } from "./openapi.ts";
import { toCurlCommand } from "./reference-curl.ts";

const endpoints = adminRoutes.map((route) => route.endpoint);
const entries = Object.entries(buildOpenApi(endpoints).paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const operation = item[method];
    return operation ? [{ path, method, operation }] : [];
  }),
);

test.each(endpoints.map((one) => [one.name, one] as const))(
  "the example of %s is one shell command with a valid body",
  (name, { body, method }) => {
    const words = shellWords(toCurlCommand(find(name)));

    expect(words).toContain("Authorization: Bearer secret");
    expect(words.join(" ")).not.toMatch(/[{]\w+_id[}]/);
    expect(methodOf(words)).toBe(method);
    expect(body.safeParse(sentBody(words)).error).toBeUndefined();
  },
);

test("an example survives a quote in the body", () => {
  const example = { name: "Bob's" };
  const content = { "application/json": { schema: {}, example } };
  const entry = find("create_gateway");
  const operation = { ...entry.operation, requestBody: { required: true, content } } as const;

  const words = shellWords(toCurlCommand({ ...entry, operation }));

  expect(sentBody(words)).toEqual(example);
});

test("an example of a form names its fields and its file", () => {
  const words = shellWords(toCurlCommand(find("edit_image")));

  expect(words).toContain("http://127.0.0.1:8080/demo/v1/images/edits");
  expect(words).toContain("prompt=Add a moat");
  expect(words).toContain("image=@gate.png");
});

function find(name: string) {
  const found = entries.find(({ operation }) => operation.operationId === name);
  if (!found) throw new Error(`Unknown operation ${name}.`);
  return found;
}

/** Returns the arguments that a real shell passes to curl. */
function shellWords(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const env = { TOKEN: "secret", KEY: "secret" };
  const { stdout, stderr } = Bun.spawnSync(["bash", "-c", script], { env });
  expect(stderr.toString()).toBe("");
  return stdout.toString().split("\0").slice(0, -1);
}

const methodOf = (words: string[]): string =>
  words[words.indexOf("-X") + 1 || words.length] ?? (words.includes("-d") ? "POST" : "GET");

function sentBody(words: string[]): unknown {
  const at = words.indexOf("-d");
  return at < 0 ? undefined : JSON.parse(words[at + 1] ?? "");
}
