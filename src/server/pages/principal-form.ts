/** Reads the forms of pages for principals, and signs principals in and out. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { RequestIds } from "../../route.ts";
import { publicOrigin } from "../http/public-origin.ts";
import { readCountedBody, reserveAdminBytes } from "../http/read-counted-body.ts";
import { recordFailedSignIn, recordSession } from "../http/record-session.ts";
import { html } from "./html.ts";
import { endPrincipalSession, startPrincipalSession, toAuthor } from "./principal-session.ts";

const FORM_BYTES = 256 * 1024;
/** A page has at most 20 fields for values. Parsing 100,000 takes 50 ms and 10 MB. */
const MAX_FIELDS = 100;

export const SIGNED_OUT = "You are signed out. Open the link again.";

export const SIGN_IN_FORM = html`<p>Sign in to install MCP servers and to connect your accounts.</p>
<form method="post">
<label for="token">Your token</label>
<input id="token" name="token" type="password" required autocomplete="off" aria-describedby="about">
<small id="about">The personal token that your client uses, <code>pp_…</code>, or a token of your identity provider.</small>
<button>Continue</button>
</form>`;

/** Returns the form. For a sign-in or sign-out, also the Set-Cookie header. */
export async function readPrincipalForm(
  deps: Deps,
  request: Request,
  ids: RequestIds,
): Promise<{ form: URLSearchParams; cookie?: string }> {
  const origin = publicOrigin(deps, request);
  // CSRF: another site could sign the browser in under its own token, and get the account that is connected.
  const from = request.headers.get("origin");
  if (from !== null && from !== new URL(origin).origin) {
    throw new AppError("forbidden", "This form was sent by another site.");
  }
  const form = await readFields(deps, request);
  const token = form.get("token")?.trim();
  if (token) return { form, cookie: await signIn(deps, request, token, ids) };
  if (form.has("sign_out"))
    return { form, cookie: await endPrincipalSession(deps, request, origin, ids) };
  return { form };
}

async function readFields(deps: Deps, request: Request): Promise<URLSearchParams> {
  const memory = reserveAdminBytes(deps, null);
  try {
    const bytes = await readCountedBody(deps, request, FORM_BYTES, memory);
    const text = new TextDecoder().decode(bytes);
    if (text.split("&", MAX_FIELDS + 1).length > MAX_FIELDS) {
      throw new AppError("invalid_request", `The form has more than ${MAX_FIELDS} fields.`);
    }
    return new URLSearchParams(text);
  } finally {
    memory.release();
  }
}

async function signIn(
  deps: Deps,
  request: Request,
  token: string,
  ids: RequestIds,
): Promise<string> {
  try {
    const { session_id: id, principal, cookie } = await startPrincipalSession(deps, request, token);
    const { gateway_id } = principal;
    await recordSession(deps, toAuthor(principal, ids), "sign_in", {
      id,
      name: "Store",
      gateway_id,
    });
    return cookie;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "unauthorized") {
      await recordFailedSignIn(deps, ids, "Store");
    }
    throw thrown;
  }
}
