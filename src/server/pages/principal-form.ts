/** The forms of pages for principals: who is signed in, and what was sent. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { bodyLimits, readBody } from "../../read-body.ts";
import { publicOrigin } from "../http/public-origin.ts";
import { html } from "./html.ts";
import { endPrincipalSession, startPrincipalSession } from "./principal-session.ts";

const FORM_BYTES = 256 * 1024;

export const SIGNED_OUT = "You are signed out: open the link again.";

export const SIGN_IN_FORM = html`<p>Accounts are connected to a person, so first say who you are.</p>
<form method="post">
<label for="token">Your token</label>
<input id="token" name="token" type="password" required autocomplete="off" aria-describedby="about">
<small id="about">The personal token that your client uses, <code>pp_…</code>, or one of your identity provider.</small>
<button>Go on</button>
</form>`;

/** Returns the form, or the cookie that signs somebody in or out where the form asks for that. */
export async function readPrincipalForm(
  deps: Deps,
  request: Request,
): Promise<{ form: URLSearchParams; cookie?: string }> {
  const origin = publicOrigin(deps, request);
  // A page of another site could sign a browser in as somebody else, and have an account connected to them.
  const from = request.headers.get("origin");
  if (from !== null && from !== new URL(origin).origin) {
    throw new AppError("forbidden", "This form belongs to another site.");
  }
  const bytes = await readBody(request, bodyLimits(deps, FORM_BYTES));
  const form = new URLSearchParams(new TextDecoder().decode(bytes));
  const token = form.get("token")?.trim();
  if (token) return { form, cookie: await startPrincipalSession(deps, token, origin) };
  if (form.has("sign_out"))
    return { form, cookie: await endPrincipalSession(deps, request, origin) };
  return { form };
}
