/** Hostile request paths, sent without normalization, are never a 5xx. */
import { expect, test } from "bun:test";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { seeded } from "../kit/random.ts";

const started = sharedKit();

/** Sends the bytes as they are; returns the status, or 0 when the connection closes without a response. */
function statusOf({ url }: Kit, method: string, target: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<number>();
  let received = "";
  void Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => {
        const head = `${method} ${target} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n`;
        socket.write(Buffer.from(`${head}content-length: 0\r\n\r\n`, "latin1"));
      },
      data: (socket, bytes) => {
        received += bytes.toString("latin1");
        const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(received) ?? [];
        if (!status) return;
        resolve(Number(status));
        socket.end();
      },
      close: () => resolve(0),
      error: () => resolve(0),
      connectError: () => resolve(0),
    },
  });
  return promise;
}

/** 505 is the HTTP parser's response to a request line that it cannot split, such as one with a NUL. */
const isServerError = (status: number): boolean => status >= 500 && status !== 505;

const PATHS = [
  "/console/../v1/whoami",
  "/console/..",
  "/console/../..",
  "/console/../../../etc/passwd",
  "/console/%2e%2e/v1/whoami",
  "/console/..%2fv1/whoami",
  "/console/..\\v1\\whoami",
  "/console//..//",
  "/console/%",
  "/console/%00",
  "/console/\0",
  "/console?/../x",
  "//",
  "///v1/whoami",
  "/v1/../console",
  "/v1/./whoami",
  "/v1//whoami",
  "/v1/gateways/..",
  "/v1/gateways/%2e%2e",
  "/v1/gateways/\0",
  "/v1/gateways/%00",
  "/v1/gateways/%ff",
  "/v1/gateways/%E0%A4%A/registries",
  "/v1\\whoami",
  "/me/connect/..",
  "/me/connect/%2e%2e%2f",
  "/me/connect/%",
  "/me/mcp/..",
  "/oauth/callback/../x",
  "/docs/..",
  "/openapi.json/..",
  "/metrics/../healthz",
  "/g/../v1/chat/completions",
  "/g/v1/%2e%2e/chat/completions",
  "/g/v1/files/..",
  "/g/v1/files/%2e%2e%2f%2e%2e",
  "/g/v1/files/%00",
  "/%",
  "/%zz/v1/models",
  "/.well-known/..",
  "http://",
  "http://[::1",
  "http://a b/v1/whoami",
  "http://x/console/../v1",
  "*",
  "?",
  "#",
  "/#/../",
  "/console/#/..",
  `/${"a/".repeat(4000)}`,
  `/console/${"../".repeat(4000)}`,
  `/v1/gateways/${"%2e".repeat(4000)}`,
  `/console/${"x".repeat(12_000)}`,
];

test.each(PATHS.map((path) => [path.slice(0, 60), path]))("%s is not a 5xx", async (_, path) => {
  const kit = await started();

  for (const method of ["GET", "POST", "OPTIONS"]) {
    expect(isServerError(await statusOf(kit, method, path))).toBe(false);
  }
});

test("random paths are never a 5xx", async () => {
  const kit = await started();
  const PARTS = ["/", "//", ".", "..", "%2e", "%2f", "%5c", "\\", "%00", "\0", "%", "?", "#", ":"];
  const WORDS = [
    "console",
    "v1",
    "whoami",
    "gateways",
    "me",
    "connect",
    "mcp",
    "g",
    "files",
    "docs",
  ];
  const { pick, below } = seeded(7);
  const failed: string[] = [];
  for (let round = 0; round < 60; round += 1) {
    const paths = Array.from({ length: 20 }, () => {
      const parts = Array.from({ length: 1 + below(8) }, () => pick([...PARTS, ...WORDS]));
      return `/${parts.join(below(2) ? "/" : "")}`;
    });
    const statuses = await Promise.all(paths.map((path) => statusOf(kit, "GET", path)));
    failed.push(...paths.filter((_, at) => isServerError(statuses[at] ?? 0)));
  }

  expect(failed).toEqual([]);
});

test("a path that leaves the console with dot segments is a 404", async () => {
  const kit = await started();

  expect(await statusOf(kit, "GET", "/console/../v1/whoami")).toBe(404);
  expect(await statusOf(kit, "GET", "/console/./gateways")).toBe(200);
});
