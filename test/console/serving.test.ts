/** Files of the console: small, hashed, cached, with a strict content security policy. */
import { expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";

const started = sharedKit();

async function index(path = "/console") {
  const kit = await started();
  const response = await fetch(`${kit.url}${path}`);
  const html = await response.text();
  const names = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name = ""]) => name);
  return { kit, response, html, names: names.filter((name) => name !== "") };
}

test("the page is not cached and runs only its own scripts", async () => {
  const { response, html } = await index();

  expect(response.headers.get("cache-control")).toBe("no-store");
  const policy = response.headers.get("content-security-policy");
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
});

test("files have a hash in their name, are cached forever, and are small", async () => {
  const { kit, names } = await index();
  const files = await Promise.all(
    names.map(async (name) => {
      const get = (encoding: string) =>
        fetch(`${kit.url}/console/${name}`, {
          headers: { "accept-encoding": encoding },
          decompress: false,
        });
      const [plain, packed] = await Promise.all([get("identity"), get("gzip")]);
      return {
        name,
        cache: plain.headers.get("cache-control"),
        bytes: (await plain.arrayBuffer()).byteLength,
        gzip: (await packed.arrayBuffer()).byteLength,
      };
    }),
  );
  const sum = (of: "bytes" | "gzip") => files.reduce((total, file) => total + file[of], 0);

  const kinds = names.map((name) => /^\w+-\w{8}\.(\w+)$/.exec(name)?.[1]);
  expect(kinds.toSorted()).toEqual(["css", "js", "svg"]);
  expect(new Set(files.map(({ cache }) => cache))).toEqual(
    new Set(["public, max-age=31536000, immutable"]),
  );
  expect(sum("gzip")).toBeLessThan(170_000);
  expect(sum("bytes")).toBeLessThan(1_000_000);
});

test.each([
  ["/console", "console/"],
  ["/console/", "./"],
  ["/console/gateways", "./"],
  ["/console/gateways/new", "../"],
  ["/console/gateways/x/consumers/y?tab=keys", "../../../"],
])("%s has the base path %s", async (path, wanted) => {
  const { html } = await index(path);

  expect(/<base href="([^"]*)">/.exec(html)?.[1]).toBe(wanted);
});

test("a file of another version returns 404, not the page", async () => {
  const { kit } = await index();

  const response = await fetch(`${kit.url}/console/index-00000000.js`);

  expect([response.status, response.headers.get("content-type")]).toEqual([
    404,
    "application/json;charset=utf-8",
  ]);
});

test("the bundle does not contain zod", async () => {
  const { kit, names } = await index();
  const script = names.find((name) => name.endsWith(".js")) ?? "";

  expect(await (await fetch(`${kit.url}/console/${script}`)).text()).not.toContain("ZodError");
});
