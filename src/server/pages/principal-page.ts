/** Page `/me`: the Store of a principal, with their servers, client configurations and personal tokens. */
import { AppError } from "../../contract/errors.ts";
import { changeStore } from "../../db/config-revision.ts";
import type { AuditAuthor } from "../../db/record-change.ts";
import type { Deps } from "../../deps.ts";
import { parseRequestUrl } from "../../lib/http/parse-request-url.ts";
import type { Principal } from "../../mcp-store/principals/identify-principal.ts";
import {
  linkPersonalToken,
  revokePersonalToken,
  rotatePersonalToken,
} from "../../mcp-store/principals/personal-tokens.ts";
import { PRINCIPAL_PATH } from "../../mcp-store/serve/identify-mcp-caller.ts";
import { takeTurnToRead } from "../../take-turn.ts";
import type { PathHandler } from "../http/mcp-paths.ts";
import { publicOrigin } from "../http/public-origin.ts";
import type { App } from "../http/serve-request.ts";
import { renderSnippets } from "./client-snippets.ts";
import type { Html } from "./html.ts";
import { plainPage } from "./plain-page.ts";
import { readPrincipalForm, SIGN_IN_FORM, SIGNED_OUT } from "./principal-form.ts";
import {
  findSessionPrincipal,
  readSessionToken,
  startPrincipalSession,
  toAuthor,
} from "./principal-session.ts";
import { type PageContext, type PageRequest, redirectTo, servePage } from "./serve-page.ts";
import {
  cancelOwnRequest,
  findInstallId,
  installByForm,
  removeOwnInstall,
} from "./store-actions.ts";
import { renderCatalog, renderServer } from "./store-catalog.ts";
import { isStoreTab, linkToTab, type StoreTab, storePage } from "./store-layout.ts";
import { renderServers } from "./store-servers.ts";
import { renderNewToken, renderTokens } from "./token-list.ts";

export const principalPage = (app: App): Record<string, PathHandler> => ({
  "/me": servePage(app, (request, context) =>
    request.method === "POST"
      ? submit(app.deps, request, context)
      : show(app.deps, request, context),
  ),
});

/** Title and content of each tab. */
const TABS: Record<
  StoreTab,
  [string, (deps: Deps, principal: Principal, request: PageRequest) => Html | Promise<Html>]
> = {
  "": [
    "Store",
    (deps, principal, request) =>
      renderCatalog(deps, principal, parseRequestUrl(request).searchParams),
  ],
  servers: ["My servers", renderServers],
  clients: [
    "Connect a client",
    (deps, _, request) => renderSnippets(`${publicOrigin(deps, request)}${PRINCIPAL_PATH}`),
  ],
  tokens: [
    "Your tokens",
    (deps, principal, request) => renderTokens(deps, principal, readSessionToken(deps, request)),
  ],
};

async function show(deps: Deps, request: PageRequest, { headers }: PageContext): Promise<Response> {
  const principal = await findSessionPrincipal(deps, request);
  if (!principal) return plainPage("Sign in", SIGN_IN_FORM, headers);
  const owner = `page ${principal.gateway_id} ${principal.principal_sub}`;
  await takeTurnToRead(deps, { owner, client: request });
  const query = parseRequestUrl(request).searchParams;
  const code = query.get("server");
  if (code !== null) {
    const server = await renderServer(deps, principal, code);
    return storePage(principal, { ...server, tab: "" }, headers);
  }
  const named = query.get("tab") ?? "";
  const tab = isStoreTab(named) ? named : "";
  const [title, render] = TABS[tab];
  const content = await render(deps, principal, request);
  return storePage(principal, { title, tab, content }, headers);
}

async function submit(
  deps: Deps,
  request: PageRequest,
  { ids, headers }: PageContext,
): Promise<Response> {
  const { form, cookie } = await readPrincipalForm(deps, request, ids);
  if (cookie !== undefined) {
    const here = `./me${parseRequestUrl(request).search}`;
    return redirectTo(here, { ...headers, "set-cookie": cookie });
  }
  const principal = await findSessionPrincipal(deps, request);
  if (!principal) throw new AppError("unauthorized", SIGNED_OUT);
  const author = toAuthor(principal, ids);
  const id = form.get("id") ?? "";
  const change = <T>(work: (deps: Deps) => Promise<T>): Promise<T> =>
    changeStore(deps.db, (db) => work({ ...deps, db }));
  const toTab = (tab: StoreTab) => redirectTo(linkToTab(tab), headers);
  switch (form.get("action")) {
    case "install":
      return await install(deps, author, principal, form, headers);
    case "remove":
      await removeOwnInstall(deps, author, principal, id);
      return toTab("servers");
    case "cancel":
      await cancelOwnRequest(deps, author, principal, id);
      return toTab("servers");
    case "rotate": {
      const token = readSessionToken(deps, request) ?? "";
      const next = await change((inside) => rotatePersonalToken(inside, author, token));
      const { cookie } = await startPrincipalSession(deps, request, next);
      const page = {
        title: "Your new token",
        tab: "tokens",
        content: renderNewToken(next),
      } as const;
      return storePage(principal, page, { ...headers, "set-cookie": cookie });
    }
    case "add": {
      const added = form.get("added")?.trim() ?? "";
      await change((inside) => linkPersonalToken(inside, author, principal, added));
      return toTab("tokens");
    }
    case "revoke":
      await change((inside) => revokePersonalToken(inside, author, principal, id));
      return toTab("tokens");
    default:
      throw new AppError(
        "invalid_request",
        "action: must be install, remove, cancel, rotate, add or revoke",
      );
  }
}

/** Continues with the next step: a reason or an instance, values or an account, or the list of servers. */
async function install(
  deps: Deps,
  author: AuditAuthor,
  principal: Principal,
  form: URLSearchParams,
  headers: Record<string, string>,
): Promise<Response> {
  const reply = await installByForm(deps, author, principal, form);
  if (reply.requires_reason || reply.requires_instance_choice || reply.status === "not_installed") {
    const reason = form.get("reason") ?? "";
    const options = { choices: reply.instance_choices, reason };
    const server = await renderServer(deps, principal, reply.code, options);
    return storePage(principal, { ...server, tab: "" }, headers);
  }
  const hasOpenSteps = reply.requires_auth || reply.requires_config;
  const id = hasOpenSteps ? await findInstallId(deps, principal, reply.instance_id) : undefined;
  return redirectTo(id === undefined ? linkToTab("servers") : `./me/connect/${id}`, headers);
}
