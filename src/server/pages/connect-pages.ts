/** Pages where a principal connects an account or enters values (`/me/connect/…`), and the OAuth callback. */
import { AppError } from "../../contract/errors.ts";
import type { Install } from "../../contract/store/installs.ts";
import { changeStore } from "../../db/config-revision.ts";
import { storeCredentialTable } from "../../db/tables/store-credentials.ts";
import type { Deps } from "../../deps.ts";
import { parseRequestUrl } from "../../lib/http/parse-request-url.ts";
import { configureInstall } from "../../mcp-store/installs/configure-install.ts";
import { findUsableInstall } from "../../mcp-store/installs/find-usable-install.ts";
import type { Principal } from "../../mcp-store/principals/identify-principal.ts";
import { fillUrl, openValues } from "../../mcp-store/upstream/resolve-target.ts";
import { finishConnect, startConnect } from "../../mcp-store/vault/connect-account.ts";
import { isForwarded } from "../../mcp-store/vault/forwarded-instance.ts";
import { CALLBACK_PATH } from "../../mcp-store/vault/oauth-client.ts";
import type { PathHandler } from "../http/mcp-paths.ts";
import { redirectOrigin } from "../http/public-origin.ts";
import type { App } from "../http/serve-request.ts";
import { type Html, html } from "./html.ts";
import { plainPage } from "./plain-page.ts";
import { readPrincipalForm, SIGN_IN_FORM, SIGNED_OUT } from "./principal-form.ts";
import { findSessionPrincipal, toAuthor } from "./principal-session.ts";
import {
  currentPath,
  type PageContext,
  type PageRequest,
  redirectTo,
  servePage,
} from "./serve-page.ts";

/** Prefix of form fields that belong to the server. */
const FIELD = "field.";

export function connectPages(app: App): Record<string, PathHandler> {
  const callback = servePage(app, (request, context) => finishSignIn(app, request, context));
  return {
    "/me/connect/:install_id": servePage(app, (request, context) =>
      request.method === "POST" ? submit(app, request, context) : show(app, request, context),
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
  if (!principal) return plainPage("Sign in", SIGN_IN_FORM, headers);
  const { shown, instance } = await findUsableInstall(
    deps,
    principal,
    request.params.install_id ?? "",
  );
  if (!isForwarded(instance))
    return plainPage(shown.name, renderInstall(shown, principal), headers);
  const account = shown.requires_auth ? await findAccount(deps, principal, instance.id) : "own";
  return plainPage(shown.name, renderInstall(shown, principal, account), headers);
}

/** The connected account: of this sign-in, of another one, or none. */
type Account = "own" | "other" | "none";

async function findAccount(
  deps: Deps,
  { gateway_id, principal_sub, sign_in }: Principal,
  instance_id: string,
): Promise<Account> {
  const where = { gateway_id, principal_sub, instance_id };
  const row = await storeCredentialTable.find(deps.db, where);
  return row && row.sign_in !== sign_in ? "other" : "none";
}

async function submit(app: App, request: PageRequest, context: PageContext): Promise<Response> {
  const { deps } = app;
  const { form, cookie } = await readPrincipalForm(deps, request, context.ids);
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
  // Empty fields keep their value.
  const values = Object.fromEntries(
    [...form]
      .filter(([name, value]) => name.startsWith(FIELD) && value !== "")
      .map(([name, value]) => [name.slice(FIELD.length), value]),
  );
  const author = toAuthor(principal, ids);
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
    await startConnect(deps, author, principal, instance, { install: configured, url, origin }),
    headers,
  );
}

async function finishSignIn(
  { deps }: App,
  request: PageRequest,
  context: PageContext,
): Promise<Response> {
  const identify = async () => {
    const principal = await findSessionPrincipal(deps, request);
    if (!principal) throw new AppError("unauthorized", SIGNED_OUT);
    return principal;
  };
  const { pathname, searchParams: query } = parseRequestUrl(request);
  const author = toAuthor(await identify(), context.ids);
  const { name } = await finishConnect(deps, author, identify, {
    path: pathname,
    state: query.get("state") ?? "",
    code: query.get("code") ?? undefined,
    iss: query.get("iss") ?? undefined,
  });
  return plainPage(`${name} is connected`, renderDone(pathname), context.headers);
}

/** The path of the callback may contain an instance, and links are relative to it. */
const renderDone = (pathname: string): Html =>
  html`<p>You can close this page and continue in your client. If its tools do not appear, restart the client.</p>
<p><a href="${"../".repeat(pathname.split("/").length - 2)}me?tab=servers">My servers</a></p>`;

/** `account` is undefined for a server without sign-in. */
function renderInstall(install: Install, { principal_sub }: Principal, account?: Account): Html {
  const { fields, requires_config, name } = install;
  const state = account
    ? ACCOUNT[account](name)
    : html`<p>${requires_config ? "Enter the values that it requires." : "Nothing is missing."}</p>`;
  const button = html`<button>${account ? `Sign in at ${name}` : "Save"}</button>`;
  const needsForm = account !== undefined || fields.length > 0;
  return html`${state}
${needsForm && html`<form method="post">${fields.map(input)}${button}</form>`}
<p><a href="../../me?tab=servers">My servers</a> · <a href="../../me?tab=tokens">Your tokens</a></p>
<form method="post"><small>Signed in as ${principal_sub}.</small> <button class="quiet" name="sign_out">Sign out</button></form>`;
}

const ACCOUNT: Record<Account, (name: string) => Html> = {
  own: () => html`<p>An account is connected. Sign in again to connect another one.</p>`,
  other: () =>
    html`<p>An account is connected with another of your tokens. To use it with this token too, sign out, open <a href="../../me?tab=tokens">Your tokens</a> with the other token and add this one. If you sign in here, the other token loses the account.</p>`,
  none: (name) =>
    html`<p>${name} requires your account. Sign in there; your client then acts with that account.</p>`,
};

function input(field: Install["fields"][number]): Html {
  const { key, label, description, choices, filled, required, secret } = field;
  const id = `${FIELD}${key}`;
  const requiredAttribute = required && !filled ? html` required` : html``;
  const control =
    choices.length > 0
      ? html`<select id="${id}" name="${id}"${requiredAttribute}><option value="">${filled ? "Unchanged" : ""}</option>${choices.map((choice) => html`<option>${choice}</option>`)}</select>`
      : html`<input id="${id}" name="${id}" type="${secret ? "password" : "text"}" autocomplete="off"${requiredAttribute} placeholder="${filled ? "Unchanged" : ""}">`;
  return html`<label for="${id}">${label || key}</label>${control}<small>${description}</small>`;
}
