/** Wire shapes of the console's session: a token is handed in once, a cookie does the rest. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { ROLES } from "./roles.ts";
import { Id, SecretText } from "./shapes.ts";

/** Scripts of other sites cannot send it, so a cookie alone never changes anything. */
export const CSRF_HEADER = "x-portcullis-csrf";
export const SESSION_COOKIE = "portcullis_session";

export const WhoAmI = z.object({
  name: z.string(),
  role: z.enum(ROLES),
  gateway_ids: z.array(Id).nullable(),
  permissions: z.array(z.string()),
});
export type WhoAmI = z.infer<typeof WhoAmI>;

export const whoAmI = endpoint({
  name: "who_am_i",
  method: "GET",
  path: "/v1/whoami",
  auth: "read",
  summary: "What the token in use may do",
  reply: WhoAmI,
});

export const signIn = endpoint({
  name: "sign_in",
  method: "POST",
  path: "/v1/session",
  auth: "public",
  summary: "Trade an administrator token for an HttpOnly cookie, for browsers",
  body: z.strictObject({ token: SecretText.min(1) }),
  reply: WhoAmI,
  writes: false,
});

export const signOut = endpoint({
  name: "sign_out",
  method: "DELETE",
  path: "/v1/session",
  auth: "read",
  summary: "End the session of the cookie, on every node",
});
