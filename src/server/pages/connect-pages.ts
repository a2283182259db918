/** Where a principal connects an account or fills in values: `/me/connect/…`, and the way back from a sign-in. */
import { AppError } from "../../contract/errors.ts";
import type { Install } from "../../contract/store-installs.ts";
import { changeStore } from "../../db/config-revision.ts";
import { storeCredentialTable } from "../../db/store-credentials.ts";
import type { Deps } from "../../deps.ts";
import { configureInstall } from "../../mcp-store/installs/configure-install.ts";
import { findUsableInstall } from "../../mcp-store/installs/find-usable-install.ts";
import type { Principal } from "../../mcp-store/principals/identify-principal.ts";
import { fillUrl, openValues } from "../../mcp-store/upstream/resolve-target.ts";
import { finishConnect, startConnect } from "../../mcp-store/vault/connect-account.ts";
import { CALLBACK_PATH, isForwarded } from "../../mcp-store/vault/oauth-client.ts";
import type { PathHandler } from "../http/mcp-paths.ts";
import { parseRequestUrl } from "../http/parse-request-url.ts";
import { redirectOrigin } from "../http/public-origin.ts";
import type { App } from "../http/serve-request.ts";
import { type Html, html } from "./html.ts";
import { plainPage } from "./plain-page.ts";
import { readPrincipalForm, SIGN_IN_FORM, SIGNED_OUT } from "./principal-form.ts";
import { findSessionPrincipal } from "./principal-session.ts";
import {
  currentPath,
  type PageContext,
  type PageRequest,
  redirectTo,
  servePage,
} from "./serve-page.ts";

/** Fields of a server, apart from what the form itself needs. */
const FIELD = "field.";

export function connectPages(app: App): Record<string, PathHandler> {
  const callback = servePage(app, (request, context) => comeBack(app, request, context));
  return {
    "/me/connect/:install_id": servePage(app, (request, context) =>
      request.method === "POST" ? act(app, request, context) : show(app, request, context),
    ),
    [CALLBACK_PATH]: callback,
    [`${CALLBACK_PATH}/:instance_id`]: callback,
  };
}

async function show(
  { deps }: App,
  request: PageRequest,
  { headers }: PageContext,
): Promise<Response> {
  const principal = await findSessionPrincipal(deps, request);
  if (!principal) return plainPage("Who are you?", SIGN_IN_FORM, headers);
  const { shown, instance } = await findUsableInstall(
    deps,
    principal,
    request.params.install_id ?? "",
  );
  if (!isForwarded(instance)) return plainPage(shown.name, toDo(shown, principal), headers);
  const account = shown.requires_auth ? await accountAt(deps, principal, instance.id) : "own";
  return plainPage(shown.name, toDo(shown, principal, account), headers);
}

/** Which account is connected: one of this sign-in, one of another, or none. */
type Account = "own" | "other" | "none";

async function accountAt(
  deps: Deps,
  { gateway_id, principal_sub, sign_in }: Principal,
  instance_id: string,
): Promise<Account> {
  const where = { gateway_id, principal_sub, instance_id };
  const row = await storeCredentialTable.find(deps.db, where);
  return row && row.sign_in !== sign_in ? "other" : "none";
}

async function act(app: App, request: PageRequest, context: PageContext): Promise<Response> {
  const { deps } = app;
  const { form, cookie } = await readPrincipalForm(deps, request);
  if (cookie !== undefined) {
    return redirectTo(currentPath(request), { ...context.headers, "set-cookie": cookie });
  }
  const principal = await findSessionPrincipal(deps, request);
  if (!principal) throw new AppError("unauthorized", SIGNED_OUT);
  return await save(app, request, context, principal, form);
}

async function save(
  { deps }: App,
  request: PageRequest,
  { ids, headers }: PageContext,
  principal: Principal,
  form: URLSearchParams,
): Promise<Response> {
  const id = request.params.install_id ?? "";
  const { row, instance } = await findUsableInstall(deps, principal, id);
  // What is left empty stays as it is.
  const values = Object.fromEntries(
    [...form]
      .filter(([name, value]) => name.startsWith(FIELD) && value !== "")
      .map(([name, value]) => [name.slice(FIELD.length), value]),
  );
  const author = { actor: { id: null, name: principal.principal_sub }, ...ids };
  const configured =
    Object.keys(values).length === 0
      ? row
      : await changeStore(deps.db, (db) =>
          configureInstall({ ...deps, db }, author, row, values, principal.sign_in),
        );
  if (!isForwarded(instance)) return redirectTo(currentPath(request), headers);
  const origin = redirectOrigin(deps, request);
  const url = fillUrl(instance, openValues(deps, configured, principal.sign_in));
  return redirectTo(
    await startConnect(deps, author, principal, instance, { url, origin }),
    headers,
  );
}

async function comeBack(
  { deps }: App,
  request: PageRequest,
  context: PageContext,
): Promise<Response> {
  const principal = await findSessionPrincipal(deps, request);
  if (!principal) throw new AppError("unauthorized", SIGNED_OUT);
  const { pathname, searchParams: query } = parseRequestUrl(request);
  const author = { actor: { id: null, name: principal.principal_sub }, ...context.ids };
  const { name } = await finishConnect(deps, author, principal, {
    path: pathname,
    state: query.get("state") ?? "",
    code: query.get("code") ?? undefined,
    iss: query.get("iss") ?? undefined,
  });
  return plainPage(`${name} is connected`, DONE, context.headers);
}

const DONE = html`<p>You can close this page and go on in your client. If its tools do not appear, restart the client.</p>`;

/** `account` is undefined for a server that principals do not sign in at. */
function toDo(install: Install, { principal_sub }: Principal, account?: Account): Html {
  const { fields, requires_config, name } = install;
  const state = account
    ? ACCOUNT[account](name)
    : html`<p>${requires_config ? "Fill in what it needs." : "Nothing is missing."}</p>`;
  const button = html`<button>${account ? `Sign in at ${name}` : "Save"}</button>`;
  const needsForm = account !== undefined || fields.length > 0;
  return html`${state}
${needsForm && html`<form method="post">${fields.map(input)}${button}</form>`}
<p><a href="../../me">Your tokens</a></p>
<form method="post"><small>You are ${principal_sub}.</small> <button class="quiet" name="sign_out">Sign out</button></form>`;
}

const ACCOUNT: Record<Account, (name: string) => Html> = {
  own: () => html`<p>An account is connected. Sign in again to connect another one.</p>`,
  other: () =>
    html`<p>An account is connected with another token of yours. To use it with this token too, sign out, open <a href="../../me">Your tokens</a> with the other token and add this one. If you sign in here, the other token loses the account.</p>`,
  none: (name) =>
    html`<p>${name} works with an account of yours. You sign in there, and calls of your client are made in its name.</p>`,
};

function input(field: Install["fields"][number]): Html {
  const { key, label, description, choices, filled, required, secret } = field;
  const id = `${FIELD}${key}`;
  const needed = required && !filled ? html` required` : html``;
  const control =
    choices.length > 0
      ? html`<select id="${id}" name="${id}"${needed}><option value="">${filled ? "As it is" : ""}</option>${choices.map((choice) => html`<option>${choice}</option>`)}</select>`
      : html`<input id="${id}" name="${id}" type="${secret ? "password" : "text"}" autocomplete="off"${needed} placeholder="${filled ? "As it is" : ""}">`;
  return html`<label for="${id}">${label || key}</label>${control}<small>${description}</small>`;
}
