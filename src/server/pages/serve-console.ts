/** The console's files: bundled when first asked for, and right under whatever prefix a proxy adds. */
import { basename } from "node:path";
import page from "../../console/index.html";
import { AppError } from "../../contract/errors.ts";
import { newId } from "../../lib/ids.ts";
import { parseRequestUrl } from "../http/parse-request-url.ts";
import { renderError } from "../http/render-error.ts";
import { readRequestIds } from "../http/request-ids.ts";
import { SECURITY_HEADERS } from "../http/serve-request.ts";

const CSP = [
  "default-src 'self'",
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
    // The path was matched as it was sent; dot segments in it may lead out of the console.
    if (!/^\/console(\/|$)/.test(pathname)) {
      return notFound("The path leaves the console: send it without dot segments.");
    }
    if (!file && name.includes(".")) {
      return notFound("This file is of another version of the console: reload the page.");
    }
    if (!file) {
      return new Response(html.replace("<head>", `<head><base href="${up(pathname)}">`), {
        headers: {
          ...SECURITY_HEADERS,
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": CSP,
        },
      });
    }
    const packed = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    return new Response(packed ? file.gzip : file.bytes, {
      headers: {
        ...SECURITY_HEADERS,
        "content-type": file.type,
        // Its name holds a hash of what is in it.
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        ...(packed ? { "content-encoding": "gzip" } : {}),
      },
    });
  };
}

/** From the page's address to `…/console/`. Relative, so nobody need tell us what stands before it. */
function up(pathname: string): string {
  const inside = pathname.slice("/console".length);
  if (inside === "") return "console/";
  return "../".repeat(inside.split("/").length - 2) || "./";
}

async function build(): Promise<Built> {
  const built: Built = { html: "", files: new Map() };
  for (const { name, type, bytes } of await bundled()) {
    if (type.startsWith("text/html")) built.html = Buffer.from(bytes).toString("utf8");
    else built.files.set(name, { type, bytes, gzip: packed(bytes) });
  }
  // Inside the one-file executable the names are absolute.
  built.html = built.html.replace(/(src|href)="\.?\//g, '$1="./');
  return built;
}

/** Smaller than zlib's for the same time. */
const packed = (bytes: Bytes): Bytes => Bun.gzipSync(bytes, { library: "libdeflate", level: 9 });

interface Output {
  name: string;
  type: string;
  bytes: Bytes;
}

async function bundled(): Promise<Output[]> {
  const read = async (path: string, blob: Blob): Promise<Output> => ({
    name: basename(path),
    type: blob.type,
    bytes: new Uint8Array(await blob.arrayBuffer()),
  });
  // `bun build --compile` has bundled it already.
  if (page.files)
    return await Promise.all(page.files.map(({ path }) => read(path, Bun.file(path))));
  const { outputs } = await Bun.build({
    entrypoints: [page.index],
    target: "browser",
    minify: true,
    naming: "[name]-[hash].[ext]",
    // React's name for its mode, in the bundle; this process' own environment is not touched.
    define: { [["process", "env", "NODE_ENV"].join(".")]: JSON.stringify("production") },
  });
  return await Promise.all(outputs.map((output) => read(output.path, output)));
}
