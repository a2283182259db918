/** Page `/me`: lists the personal tokens of a principal, to rotate, add to the sign-in, or revoke. */
import { AppError } from "../../contract/errors.ts";
import { changeStore } from "../../db/config-revision.ts";
import type { PrincipalTokenRow } from "../../db/tables/principal-tokens.ts";
import type { Deps } from "../../deps.ts";
import type { Principal } from "../../mcp-store/principals/identify-principal.ts";
import {
  linkPersonalToken,
  listPersonalTokens,
  revokePersonalToken,
  rotatePersonalToken,
} from "../../mcp-store/principals/personal-tokens.ts";
import type { PathHandler } from "../http/mcp-paths.ts";
import { publicOrigin } from "../http/public-origin.ts";
import type { App } from "../http/serve-request.ts";
import { type Html, html } from "./html.ts";
import { plainPage } from "./plain-page.ts";
import { readPrincipalForm, SIGN_IN_FORM, SIGNED_OUT } from "./principal-form.ts";
import {
  findSessionPrincipal,
  readSessionToken,
  startPrincipalSession,
  toAuthor,
} from "./principal-session.ts";
import {
  currentPath,
  type PageContext,
  type PageRequest,
  redirectTo,
  servePage,
} from "./serve-page.ts";

export const principalPage = (app: App): Record<string, PathHandler> => ({
  "/me": servePage(app, (request, context) =>
    request.method === "POST" ? submit(app, request, context) : show(app, request, context),
  ),
});

async function show(
  { deps }: App,
  request: PageRequest,
  { headers }: PageContext,
): Promise<Response> {
  const principal = await findSessionPrincipal(deps, request);
  if (!principal) return plainPage("Sign in", SIGN_IN_FORM, headers);
  return plainPage(
    "Your tokens",
    await renderTokens(deps, principal, readSessionToken(deps, request)),
    headers,
  );
}

async function submit(
  { deps }: App,
  request: PageRequest,
  { ids, headers }: PageContext,
): Promise<Response> {
  const { form, cookie } = await readPrincipalForm(deps, request, ids);
  if (cookie !== undefined)
    return redirectTo(currentPath(request), { ...headers, "set-cookie": cookie });
  const principal = await findSessionPrincipal(deps, request);
  if (!principal) throw new AppError("unauthorized", SIGNED_OUT);
  const author = toAuthor(principal, ids);
  const change = <T>(work: (deps: Deps) => Promise<T>): Promise<T> =>
    changeStore(deps.db, (db) => work({ ...deps, db }));
  switch (form.get("action")) {
    case "rotate": {
      const token = readSessionToken(deps, request) ?? "";
      const next = await change((inside) => rotatePersonalToken(inside, author, token));
      const { cookie } = await startPrincipalSession(deps, next, publicOrigin(deps, request));
      return plainPage("Your new token", renderNewToken(next), {
        ...headers,
        "set-cookie": cookie,
      });
    }
    case "add": {
      const added = form.get("added")?.trim() ?? "";
      await change((inside) => linkPersonalToken(inside, author, principal, added));
      return redirectTo(currentPath(request), headers);
    }
    case "revoke": {
      const id = form.get("id") ?? "";
      await change((inside) => revokePersonalToken(inside, author, principal, id));
      return redirectTo(currentPath(request), headers);
    }
    default:
      throw new AppError("invalid_request", "action: must be rotate, add or revoke");
  }
}

async function renderTokens(deps: Deps, principal: Principal, token = ""): Promise<Html> {
  const tokens = await listPersonalTokens(deps, principal);
  return html`<p>These tokens act in your name. Accounts that you connect and keys that you enter are used only by the tokens you connected them with. Revoke any token that you do not recognize.</p>
${tokens.length === 0 ? html`<p>You have no personal token.</p>` : html`<ul>${tokens.map((token) => renderToken(token, principal))}</ul>`}
${
  token.startsWith("pp_") &&
  html`<form method="post"><button name="action" value="rotate">Rotate the token you are signed in with</button></form>`
}
<form method="post">
<label for="added">Use your accounts with another token</label>
<input id="added" name="added" type="password" required autocomplete="off" aria-describedby="about-added">
<small id="about-added">Paste another of your personal tokens. It will use the accounts of the token you are signed in with.</small>
<button name="action" value="add">Add token</button>
</form>
<form method="post"><small>Signed in as ${principal.principal_sub}.</small> <button class="quiet" name="sign_out">Sign out</button></form>`;
}

function renderToken(token: PrincipalTokenRow, { sign_in }: Principal): Html {
  const { id, name, hint, created_by, created_at, last_used_at, expires_at } = token;
  const isOwn = (token.sign_in ?? id) === sign_in;
  return html`<li><strong>${name}</strong> <code>${hint}</code><br>
<small>${isOwn ? "Uses your accounts." : "Does not use your accounts."} Created ${formatMinute(created_at)}${created_by !== null && html` by ${created_by}`}. ${last_used_at === null ? "Never used." : `Last used ${formatMinute(last_used_at)}.`} ${expires_at === null ? "Never expires." : `Expires ${formatMinute(expires_at)}.`}</small>
<form method="post"><input type="hidden" name="id" value="${id}"><button class="quiet" name="action" value="revoke">Revoke ${name}</button></form></li>`;
}

/** Formats a time as `2026-01-31 12:00 UTC`: without scripts, the page cannot use the time zone of the browser. */
const formatMinute = (time: string): string =>
  `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const renderNewToken = (token: string): Html =>
  html`<p>Set this token in your client. It is shown only once, and uses the same accounts.</p>
<p><code>${token}</code></p>
<p>The old token works for one more hour.</p>`;
