/** Rejects requests that the page of another site makes in a browser: DNS rebinding would let it reach this program. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { LOOPBACK } from "./public-origin.ts";
import { urlOf } from "./url-of.ts";

/** Programs other than browsers send no Origin. */
export function checkOrigin({ settings }: Deps, request: Request): void {
  const sent = request.headers.get("origin");
  if (sent === null || settings.MCP_ALLOWED_ORIGINS.includes(sent)) return;
  if (settings.PUBLIC_URL !== undefined) {
    if (sent === new URL(settings.PUBLIC_URL).origin) return;
  } else {
    // Without it only a loopback name is certain to be this program's own: the others come from the Host header.
    const { origin, hostname } = urlOf(request);
    if (sent === origin && LOOPBACK.test(hostname)) return;
  }
  const text =
    "Origin: pages of this site may not call the MCP endpoint. Add the origin to MCP_ALLOWED_ORIGINS.";
  throw new AppError("forbidden", text);
}
