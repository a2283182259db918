/** Loads the MCP plane with its first request: loading the MCP SDK takes 100 ms, which would delay the start. */
import { METADATA_PATH, PRINCIPAL_PATH } from "../../mcp-store/serve/identify-mcp-caller.ts";
import type { McpPlane } from "../../mcp-store/serve/mcp-plane.ts";
import { overloaded } from "../../reserve-bytes.ts";
import type { PathHandler } from "./mcp-paths.ts";
import { type App, serveRequest } from "./serve-request.ts";

/** The paths of mcpPaths, principalPage and connectPages. */
const PATHS = [
  PRINCIPAL_PATH,
  "/:consumer/mcp",
  METADATA_PATH,
  "/me",
  "/me/connect/:install_id",
  "/oauth/callback",
  "/oauth/callback/:instance_id",
] as const;

interface Loaded {
  plane: McpPlane;
  paths: Readonly<Record<string, PathHandler>>;
}

export interface LazyMcp {
  paths: Record<string, PathHandler>;
  /** See McpPlane. Does nothing when the plane was never loaded. */
  drain: () => Promise<void>;
  stop: () => Promise<void>;
}

export function createLazyMcp(app: App): LazyMcp {
  let loaded: Promise<Loaded> | undefined;
  let ready: Loaded | undefined;
  let waiting = 0;
  const loadAndHandle =
    (path: string): PathHandler =>
    async (request, socket) => {
      if (!ready) {
        if (waiting >= MAX_WAITING) return await rejectRequest(app, request);
        waiting += 1;
        loaded ??= load(app);
        // A failed load is an error for later requests too, not an overload.
        ready = await loaded.finally(() => {
          waiting -= 1;
        });
      }
      const handle = ready.paths[path];
      if (!handle) throw new Error(`No handler for ${path}.`);
      return await handle(request, socket);
    };
  return {
    paths: Object.fromEntries(PATHS.map((path) => [path, loadAndHandle(path)])),
    drain: async () => (await loaded)?.plane.drain(),
    stop: async () => (await loaded)?.plane.stop(),
  };
}

/** Requests that wait for the load: Bun holds their bodies, which count against no budget yet. */
const MAX_WAITING = 200;

const rejectRequest = (app: App, request: Request): Promise<Response> =>
  serveRequest(app, "mcp", request, () => {
    throw overloaded();
  });

async function load(app: App): Promise<Loaded> {
  const { openMcpPlane } = await import("../../mcp-store/serve/mcp-plane.ts");
  const { mcpPaths } = await import("./mcp-paths.ts");
  const { connectPages } = await import("../pages/connect-pages.ts");
  const { principalPage } = await import("../pages/principal-page.ts");
  const plane = openMcpPlane(app.deps);
  return { plane, paths: { ...mcpPaths(app, plane), ...principalPage(app), ...connectPages(app) } };
}
