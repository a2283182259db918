/** Tab "Your tokens": the personal tokens of a principal, to rotate, add to the sign-in, or revoke. */
import type { PrincipalTokenRow } from "../../db/tables/principal-tokens.ts";
import type { Deps } from "../../deps.ts";
import type { Principal } from "../../mcp-store/principals/identify-principal.ts";
import { listPersonalTokens } from "../../mcp-store/principals/personal-tokens.ts";
import { type Html, html } from "./html.ts";

export async function renderTokens(deps: Deps, principal: Principal, token = ""): Promise<Html> {
  const tokens = await listPersonalTokens(deps, principal);
  return html`<p class="muted">These tokens act in your name. Accounts that you connect and keys that you enter are used only by the tokens you connected them with. Revoke any token that you do not recognize.</p>
${tokens.length === 0 ? html`<p>You have no personal token.</p>` : html`<ul>${tokens.map((token) => renderToken(token, principal))}</ul>`}
${
  token.startsWith("pp_") &&
  html`<form method="post"><button name="action" value="rotate">Rotate the token you are signed in with</button></form>`
}
<h2>Use your accounts with another token</h2>
<form method="post">
<label for="added">Token</label>
<input id="added" name="added" type="password" required autocomplete="off" aria-describedby="about-added">
<p><small id="about-added">Paste another of your personal tokens. It will use the accounts of the token you are signed in with.</small></p>
<button name="action" value="add">Add token</button>
</form>`;
}

function renderToken(token: PrincipalTokenRow, { sign_in }: Principal): Html {
  const { id, name, hint, created_by, created_at, last_used_at, expires_at } = token;
  const isOwn = (token.sign_in ?? id) === sign_in;
  return html`<li class="item"><div class="row ends"><h2>${name}</h2><code>${hint}</code></div>
<small>${isOwn ? "Uses your accounts." : "Does not use your accounts."} Created ${formatMinute(created_at)}${created_by !== null && html` by ${created_by}`}. ${last_used_at === null ? "Never used." : `Last used ${formatMinute(last_used_at)}.`} ${expires_at === null ? "Never expires." : `Expires ${formatMinute(expires_at)}.`}</small>
<form method="post"><input type="hidden" name="id" value="${id}"><button class="quiet" name="action" value="revoke">Revoke ${name}</button></form></li>`;
}

/** Formats a time as `2026-01-31 12:00 UTC`: the page must work without scripts, which know the time zone. */
const formatMinute = (time: string): string =>
  `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;

export const renderNewToken = (token: string): Html =>
  html`<p>Set this token in your client. It is shown only once, and uses your accounts.</p>
<div class="row"><code id="new-token">${token}</code><button class="quiet" type="button" data-copy="new-token" hidden>Copy</button></div>
<p>The old token works for one more hour, without your accounts. Tokens that you added to it must be added again.</p>`;
