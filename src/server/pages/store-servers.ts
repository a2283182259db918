/** Tab "My servers": installs of a principal with their state and the next step, and open requests. */
import type { Install } from "../../contract/store/installs.ts";
import type { StoreRequest } from "../../contract/store/requests.ts";
import { catalogEntries } from "../../db/tables/catalog-entries.ts";
import { storeInstallTable } from "../../db/tables/store-installs.ts";
import { storeRequestTable } from "../../db/tables/store-requests.ts";
import type { Deps } from "../../deps.ts";
import { describeInstalls } from "../../mcp-store/installs/describe-installs.ts";
import type { Principal } from "../../mcp-store/principals/identify-principal.ts";
import { expireRequests } from "../../mcp-store/requests/save-request.ts";
import { type Html, html } from "./html.ts";
import { badge, linkToServer, linkToTab } from "./store-layout.ts";

export async function renderServers(deps: Deps, principal: Principal): Promise<Html> {
  const { gateway_id, principal_sub, sign_in } = principal;
  const where = { gateway_id, principal_sub };
  await expireRequests(deps);
  const rows = await storeInstallTable.all(deps.db, where);
  const installs = await describeInstalls(deps, gateway_id, rows, sign_in);
  const names = new Map(
    (await catalogEntries(deps.db, gateway_id)).map(({ code, name }) => [code, name]),
  );
  const requests = await listRequests(deps, where, installs);
  if (installs.length + requests.length === 0) {
    return html`<p>You have not installed a server yet.</p><p><a class="button" href="${linkToTab("")}">Open the Store</a></p>`;
  }
  const sorted = installs.toSorted(
    (one, other) =>
      Number(isReady(one)) - Number(isReady(other)) || (one.name < other.name ? -1 : 1),
  );
  return html`<p class="muted">Your client gets the tools of servers that are ready. <a href="${linkToTab("clients")}">How to connect it</a></p>
${sorted.length > 0 && html`<ul>${sorted.map(renderInstall)}</ul>`}
${requests.length > 0 && html`<h2>Requests</h2><ul>${requests.map((request) => renderRequest(request, names.get(request.code) ?? request.code))}</ul>`}`;
}

const isReady = ({ state, requires_auth, requires_config }: Install): boolean =>
  state === "active" && !requires_auth && !requires_config;

const SUSPENDED: Record<NonNullable<Install["suspended_because"]>, string> = {
  access: "An administrator removed your access.",
  instance_disabled: "An administrator disabled this server.",
  authorization_server_changed:
    "The vendor changed its sign-in server, and an administrator must confirm it.",
  grant_ended: "The approval has expired. Request the server again.",
  not_in_catalog: "The server is no longer in the Store.",
};

function renderInstall(install: Install): Html {
  const { id, name, code, ends_at } = install;
  const { mark, text, step } = describeState(install);
  return html`<li class="item" id="${id}">
<div class="row ends"><h2>${name}</h2>${mark}</div>
<small>${code}${ends_at !== null && html` · access expires ${ends_at.slice(0, 10)}`}</small>
<p>${text}</p>
<div class="row">${step}
<details><summary>Remove</summary>
<form method="post"><input type="hidden" name="id" value="${id}">
<p>Deletes the values you entered and the account you connected. You can install the server again.</p>
<button class="quiet" name="action" value="remove">Remove ${name}</button></form>
</details></div>
</li>`;
}

/** Returns the badge, an explanation and the next step of an install. */
function describeState(install: Install): { mark: Html; text: string; step: Html } {
  const { id, code, name, suspended_because, requires_auth, requires_config, fields } = install;
  const connect = (label: string, tone = "") =>
    html`<a class="button ${tone}" href="./me/connect/${id}">${label}</a>`;
  if (suspended_because !== null) {
    const again = suspended_because === "grant_ended";
    return {
      mark: badge("bad", "Suspended"),
      text: SUSPENDED[suspended_because],
      step: again ? html`<a class="button" href="${linkToServer(code)}">Request again</a>` : html``,
    };
  }
  if (requires_config) {
    const missing = fields.filter(({ required, filled }) => required && !filled);
    const labels = missing.map(({ label, key }) => label || key).join(", ");
    return {
      mark: badge("warn", "Needs a value"),
      text: `Missing: ${labels}.`,
      step: connect("Enter values"),
    };
  }
  if (requires_auth) {
    return {
      mark: badge("warn", "Needs sign-in"),
      text: `${name} requires your account.`,
      step: connect(`Sign in at ${name}`),
    };
  }
  return {
    mark: badge("good", "Ready"),
    text: "If its tools do not appear in your client, restart the client.",
    step: fields.length > 0 ? connect("Change values", "quiet") : html``,
  };
}

const MAX_DECIDED_DAYS = 30;

/** Returns pending requests, and those of the last days that were rejected or expired, newest first. */
async function listRequests(
  deps: Deps,
  where: { gateway_id: string; principal_sub: string },
  installs: readonly Install[],
): Promise<StoreRequest[]> {
  const since = new Date(deps.now().getTime() - MAX_DECIDED_DAYS * 86_400_000).toISOString();
  const installed = new Set(installs.map(({ code }) => code));
  return (await storeRequestTable.all(deps.db, where))
    .filter(
      ({ state, code, created_at }) =>
        state === "pending" ||
        ((state === "rejected" || state === "expired") &&
          created_at > since &&
          !installed.has(code)),
    )
    .reverse();
}

function renderRequest(request: StoreRequest, name: string): Html {
  const { id, code, state, reason, decision_note, created_at } = request;
  const isPending = state === "pending";
  return html`<li class="item">
<div class="row ends"><h3>${name}</h3>${isPending ? badge("warn", "Waiting for approval") : badge("bad", state === "rejected" ? "Not approved" : "Expired")}</div>
<small>Requested ${created_at.slice(0, 10)}${reason !== null && html`: “${reason}”`}</small>
${decision_note !== null && html`<p>Note of the approver: ${decision_note}</p>`}
<div class="row">${
    isPending
      ? html`<form method="post"><input type="hidden" name="id" value="${id}"><button class="quiet" name="action" value="cancel">Cancel request<span class="hidden"> for ${name}</span></button></form>`
      : html`<a class="button quiet" href="${linkToServer(code)}">Request again<span class="hidden"> ${name}</span></a>`
  }</div>
</li>`;
}
