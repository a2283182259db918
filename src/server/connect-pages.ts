/** Where a principal connects an account or fills in values: `/me/connect/…`, and the way back from a sign-in. */
import { AppError } from "../contract/errors.ts";
import type { Install } from "../contract/store-installs.ts";
import { changeStore } from "../db/config-revision.ts";
import { configureInstall } from "../mcp-store/configure-install.ts";
import type { Principal } from "../mcp-store/identify-principal.ts";
import { filledUrl, valuesOf } from "../mcp-store/upstream/target.ts";
import { finishConnect, startConnect } from "../mcp-store/vault/connect-account.ts";
import { CALLBACK_PATH, isForwarded } from "../mcp-store/vault/oauth-client.ts";
import { ownInstall } from "../mcp-store/vault/own-install.ts";
import { type App, answering } from "./app.ts";
import { type Html, html } from "./html.ts";
import type { AnswerPath } from "./mcp-paths.ts";
import { plainPage } from "./plain-page.ts";
import { principalIn, signedIn, signedOut } from "./principal-session.ts";
import { publicOrigin, redirectOrigin } from "./public-origin.ts";
import { readBody } from "./read-body.ts";
import { type RequestIds, renderErrorPage } from "./render-error.ts";
import { urlOf } from "./url-of.ts";

const FORM_BYTES = 256 * 1024;
/** Fields of a server, apart from what the form itself needs. */
const FIELD = "field.";

type Asked = Parameters<AnswerPath>[0];
interface Going {
  ids: RequestIds;
  headers: Record<string, string>;
}

export function connectPages(app: App): Record<string, AnswerPath> {
  const paged =
    (work: (request: Asked, going: Going) => Promise<Response>): AnswerPath =>
    (request) =>
      answering(
        app,
        "mcp",
        request,
        (ids, headers) => work(request, { ids, headers }),
        renderErrorPage,
      );
  const callback = paged((request, going) => comeBack(app, request, going));
  return {
    "/me/connect/:install_id": paged((request, going) =>
      request.method === "POST" ? act(app, request, going) : show(app, request, going),
    ),
    [CALLBACK_PATH]: callback,
    [`${CALLBACK_PATH}/:instance_id`]: callback,
  };
}

async function show({ deps }: App, request: Asked, { headers }: Going): Promise<Response> {
  const principal = await principalIn(deps, request);
  if (!principal) return plainPage("Who are you?", SIGN_IN, headers);
  const { shown, instance } = await ownInstall(deps, principal, request.params.install_id ?? "");
  return plainPage(shown.name, toDo(shown, principal, isForwarded(instance)), headers);
}

async function act(app: App, request: Asked, going: Going): Promise<Response> {
  const { deps } = app;
  const origin = publicOrigin(deps, request);
  // A page of another site could sign a browser in as somebody else, and have an account connected to them.
  const from = request.headers.get("origin");
  if (from !== null && from !== origin) {
    throw new AppError("forbidden", "This form belongs to another site.");
  }
  const form = new URLSearchParams((await readBody(deps, request, FORM_BYTES)).toString("utf8"));
  const token = form.get("token")?.trim();
  if (token) {
    const cookie = await signedIn(deps, token, origin);
    return leadTo(here(request), { ...going.headers, "set-cookie": cookie });
  }
  if (form.has("sign_out")) {
    const cookie = await signedOut(deps, request, origin);
    return leadTo(here(request), { ...going.headers, "set-cookie": cookie });
  }
  const principal = await principalIn(deps, request);
  if (!principal) throw new AppError("unauthorized", "You are signed out: open the link again.");
  return await save(app, request, going, principal, form);
}

async function save(
  { deps }: App,
  request: Asked,
  { ids, headers }: Going,
  principal: Principal,
  form: URLSearchParams,
): Promise<Response> {
  const id = request.params.install_id ?? "";
  const { row, instance } = await ownInstall(deps, principal, id);
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
      : await changeStore(deps.db, (db) => configureInstall({ ...deps, db }, author, row, values));
  if (!isForwarded(instance)) return leadTo(here(request), headers);
  const origin = redirectOrigin(deps, request);
  const url = filledUrl(instance, valuesOf(deps, configured));
  return leadTo(await startConnect(deps, author, principal, instance, { url, origin }), headers);
}

async function comeBack({ deps }: App, request: Asked, going: Going): Promise<Response> {
  const principal = await principalIn(deps, request);
  if (!principal) throw new AppError("unauthorized", "You are signed out: open the link again.");
  const { pathname, searchParams: query } = urlOf(request);
  const author = { actor: { id: null, name: principal.principal_sub }, ...going.ids };
  const { name } = await finishConnect(deps, author, principal, {
    path: pathname,
    state: query.get("state") ?? "",
    code: query.get("code") ?? undefined,
    iss: query.get("iss") ?? undefined,
  });
  return plainPage(`${name} is connected`, DONE, going.headers);
}

/** Relative, so that it also leads there behind a proxy with a prefix; `./`, or `http:host` would lead to that host. */
const here = (request: Asked): string => `./${urlOf(request).pathname.split("/").at(-1)}`;

const leadTo = (location: string, headers: Record<string, string>): Response =>
  new Response(null, { status: 303, headers: { ...headers, location } });

const DONE = html`<p>You can close this page and go on in your client. If its tools do not appear, restart the client.</p>`;

const SIGN_IN = html`<p>Accounts are connected to a person, so first say who you are.</p>
<form method="post">
<label for="token">Your token</label>
<input id="token" name="token" type="password" required autocomplete="off" aria-describedby="about">
<small id="about">The personal token that your client uses, <code>pp_…</code>, or one of your identity provider.</small>
<button>Go on</button>
</form>`;

function toDo(install: Install, { principal_sub }: Principal, signsIn: boolean): Html {
  const { fields, requires_auth, requires_config, name } = install;
  const state = signsIn
    ? requires_auth
      ? html`<p>${name} works with an account of yours. You sign in there, and calls of your client are made in its name.</p>`
      : html`<p>An account is connected. Sign in again to connect another one.</p>`
    : html`<p>${requires_config ? "Fill in what it needs." : "Nothing is missing."}</p>`;
  const needsForm = signsIn || fields.length > 0;
  const button = html`<button>${signsIn ? `Sign in at ${name}` : "Save"}</button>`;
  return html`${state}
${needsForm && html`<form method="post">${fields.map(input)}${button}</form>`}
<form method="post"><small>You are ${principal_sub}.</small> <button name="sign_out">Sign out</button></form>`;
}

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
