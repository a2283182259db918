/** Under which address do clients reach this program? The configured one, else the one a request names. */
import type { Deps } from "../deps.ts";
import { urlOf } from "./url-of.ts";

export const publicOrigin = ({ settings }: Deps, request: Request): string =>
  settings.PUBLIC_URL ?? urlOf(request).origin;
