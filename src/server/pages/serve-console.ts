/** Serves the files of the console: bundled on the first request, and valid under any prefix that a proxy adds. */
import { basename } from "node:path";
import page from "../../console/index.html";
import { AppError } from "../../contract/errors.ts";
import { parseRequestUrl } from "../../lib/http/parse-request-url.ts";
import { newId } from "../../lib/ids.ts";
import { renderError } from "../http/render-error.ts";
import { readRequestIds } from "../http/request-ids.ts";
import { SECURITY_HEADERS } from "../http/serve-request.ts";

const CSP = [
  "default-src 'self'",
  // Images and audio that the playground receives.
  "img-src 'self' data:",
  "media-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

type Bytes = Uint8Array<ArrayBuffer>;

interface Built {
  html: string;
  files: Map<string, { type: string; bytes: Bytes; gzip: Bytes }>;
}

export function serveConsole(): (request: Request) => Promise<Response> {
  let built: Promise<Built> | undefined;
  return async (request) => {
    built ??= build();
    const { html, files } = await built;
    const { pathname } = parseRequestUrl(request);
    const name = basename(pathname);
    const file = files.get(name);
    const notFound = (text: string) => {
      const ids = readRequestIds(request.headers, newId, "admin");
      return renderError("admin", new AppError("not_found", text), ids, SECURITY_HEADERS);
    };
    // The route matched the raw path; its dot segments may lead out of the console.
    if (!/^\/console(\/|$)/.test(pathname)) {
      return notFound("The path leads out of the console. Send it without dot segments.");
    }
    if (!file && name.includes(".")) {
      return notFound("This file belongs to another version of the console. Reload the page.");
    }
    if (!file) {
      return new Response(
        html.replace("<head>", `<head><base href="${pathToConsole(pathname)}">`),
        {
          headers: {
            ...SECURITY_HEADERS,
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": CSP,
          },
        },
      );
    }
    const acceptsGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    return new Response(acceptsGzip ? file.gzip : file.bytes, {
      headers: {
        ...SECURITY_HEADERS,
        "content-type": file.type,
        // The name contains a hash of the content.
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        ...(acceptsGzip ? { "content-encoding": "gzip" } : {}),
      },
    });
  };
}

/** Returns the relative path from a page to `…/console/`, which is valid behind any prefix. */
function pathToConsole(pathname: string): string {
  const inside = pathname.slice("/console".length);
  if (inside === "") return "console/";
  return "../".repeat(inside.split("/").length - 2) || "./";
}

async function build(): Promise<Built> {
  const built: Built = { html: "", files: new Map() };
  for (const { name, type, bytes } of await bundle()) {
    if (type.startsWith("text/html")) built.html = Buffer.from(bytes).toString("utf8");
    else built.files.set(name, { type, bytes, gzip: compress(bytes) });
  }
  // Inside the single-file executable the names are absolute.
  built.html = built.html.replace(/(src|href)="\.?\//g, '$1="./');
  return built;
}

/** libdeflate compresses better than zlib in the same time. */
const compress = (bytes: Bytes): Bytes => Bun.gzipSync(bytes, { library: "libdeflate", level: 9 });

interface BundledFile {
  name: string;
  type: string;
  bytes: Bytes;
}

async function bundle(): Promise<BundledFile[]> {
  const read = async (path: string, blob: Blob): Promise<BundledFile> => ({
    name: basename(path),
    type: blob.type,
    bytes: new Uint8Array(await blob.arrayBuffer()),
  });
  // Already bundled by `bun build --compile`.
  if (page.files)
    return await Promise.all(page.files.map(({ path }) => read(path, Bun.file(path))));
  const { outputs } = await Bun.build({
    entrypoints: [page.index],
    target: "browser",
    minify: true,
    naming: {
      entry: "[name]-[hash].[ext]",
      chunk: "[name]-[hash].[ext]",
      asset: "[name]-[hash].[ext]",
    },
    // Charts are loaded on demand.
    splitting: true,
    // Selects React's production mode in the bundle; the environment of this process does not change.
    define: { [["process", "env", "NODE_ENV"].join(".")]: JSON.stringify("production") },
  });
  return await Promise.all(outputs.map((output) => read(output.path, output)));
}
