/** Serves the MCP endpoint and the metadata by which clients find a login. */
import { AppError } from "../../contract/errors.ts";
import { corsHeaders, preflightHeaders } from "../../lib/http/cors.ts";
import { findClientAddress } from "../../lib/http/ip-address.ts";
import {
  listLogins,
  METADATA_PATH,
  PRINCIPAL_PATH,
} from "../../mcp-store/serve/identify-mcp-caller.ts";
import type { McpPlane } from "../../mcp-store/serve/mcp-plane.ts";
import type { RequestIds } from "../../route.ts";
import { checkOrigin } from "./check-origin.ts";
import { publicOrigin } from "./public-origin.ts";
import { renderRpcError } from "./render-error.ts";
import { type App, serveRequest } from "./serve-request.ts";

export type PathHandler = (
  request: Request & { params: Record<string, string> },
  /** The address of the socket. */
  socket: string,
) => Promise<Response>;

export function mcpPaths(app: App, plane: McpPlane): Record<string, PathHandler> {
  const serve: PathHandler = (request, socket) => {
    const work = async (ids: RequestIds, headers: Record<string, string>) => {
      const origin = checkOrigin(app.deps, request, request.params.consumer);
      if (origin !== undefined) Object.assign(headers, corsHeaders(origin));
      const preflight = origin !== undefined && preflightHeaders(request, "POST");
      if (preflight)
        return new Response(null, { status: 204, headers: { ...headers, ...preflight } });
      const response = await plane.respond(request, {
        ...ids,
        headers,
        slug: request.params.consumer,
        origin: publicOrigin(app.deps, request),
        client: findClientAddress(
          socket,
          request.headers.get("x-forwarded-for"),
          app.deps.settings.TRUSTED_PROXIES,
        ),
      });
      for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
      return response;
    };
    return serveRequest(app, "mcp", request, work, renderRpcError);
  };
  return {
    [PRINCIPAL_PATH]: serve,
    "/:consumer/mcp": serve,
    /** RFC 9728. */
    [METADATA_PATH]: (request) =>
      serveRequest(app, "mcp", request, async (_, headers) => {
        const servers = await listLogins(app.deps);
        if (servers.length === 0)
          throw new AppError(
            "not_found",
            "This endpoint takes personal tokens only: no issuer is listed.",
          );
        const body = {
          resource: `${publicOrigin(app.deps, request)}${PRINCIPAL_PATH}`,
          resource_name: "Portcullis",
          authorization_servers: servers,
          bearer_methods_supported: ["header"],
        };
        return Response.json(body, { headers: { ...headers, "access-control-allow-origin": "*" } });
      }),
  };
}
