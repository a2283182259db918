/** Wire shapes of the console's session: a token is exchanged for a cookie. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { ROLES } from "./roles.ts";
import { Id, SecretText } from "./shapes.ts";

/** Required with the cookie for every change: pages of other sites cannot send it. */
export const CSRF_HEADER = "x-portcullis-csrf";
export const SESSION_COOKIE = "portcullis_session";

export const WhoAmI = z.object({
  name: z.string(),
  role: z.enum(ROLES),
  gateway_ids: z.array(Id).nullable().describe("null: all gateways."),
  permissions: z.array(z.string()).describe("Permissions of the role."),
});
export type WhoAmI = z.infer<typeof WhoAmI>;

export const whoAmI = endpoint({
  name: "who_am_i",
  method: "GET",
  path: "/v1/whoami",
  auth: "read",
  summary: "Get the name, role and permissions of the current token",
  reply: WhoAmI,
});

export const signIn = endpoint({
  name: "sign_in",
  method: "POST",
  path: "/v1/session",
  auth: "public",
  summary: "Exchange an administrator token for an HttpOnly session cookie",
  body: z.strictObject({ token: SecretText.min(1) }),
  reply: WhoAmI,
  // A failed sign-in must not wait for, nor delay, changes of the configuration.
  writes: false,
  configures: "sessions",
});

export const signOut = endpoint({
  name: "sign_out",
  method: "DELETE",
  path: "/v1/session",
  auth: "read",
  summary: "End the session on every node",
  configures: "sessions",
});
