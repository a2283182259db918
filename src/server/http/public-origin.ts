/** Finds the origin under which clients reach this program: PUBLIC_URL, else that of the request. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { parseRequestUrl } from "../../lib/http/parse-request-url.ts";
import { listenAddress } from "../../settings.ts";

export const publicOrigin = ({ settings }: Deps, request: Request): string =>
  settings.PUBLIC_URL ?? parseRequestUrl(request).origin;

/**
 * Returns the origin of redirect URIs, to which authorization servers send codes. A Host header is trusted only on
 * loopback: no other machine can connect, and a page of another site cannot send a loopback host (decision 0006).
 */
export function redirectOrigin({ settings }: Deps, request: Request): string {
  if (settings.PUBLIC_URL) return settings.PUBLIC_URL;
  const { origin, hostname } = parseRequestUrl(request);
  const [, listens = ""] = /^(.*):\d+$/.exec(listenAddress(settings, "mcp")) ?? [];
  if (LOOPBACK.test(listens) && LOOPBACK.test(hostname)) return origin;
  throw new AppError(
    "bad_settings",
    "Accounts cannot be connected yet. Set PUBLIC_URL to the address under which browsers reach this gateway, such as https://gateway.example.com, and restart it.",
  );
}

export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
