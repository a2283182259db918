/** Pages of the Store: cards of the servers that a principal may install or request, and one server. */
import { AppError } from "../../contract/errors.ts";
import { type CatalogEntry, listPrincipalFields } from "../../contract/store/catalog.ts";
import { catalogEntries } from "../../db/tables/catalog-entries.ts";
import type { McpRegistryRow } from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";
import { createEntryStatusReader, type EntryStatus } from "../../mcp-store/catalog/entry-status.ts";
import { findVisibleEntry } from "../../mcp-store/catalog/find-visible-entry.ts";
import { matchesWords } from "../../mcp-store/catalog/list-catalog-entries.ts";
import { listInstances } from "../../mcp-store/installs/instances.ts";
import type { Principal } from "../../mcp-store/principals/identify-principal.ts";
import { type Html, html } from "./html.ts";
import { badge, linkToServer, linkToTab } from "./store-layout.ts";

const CARDS_PER_PAGE = 60;

export async function renderCatalog(
  deps: Deps,
  principal: Principal,
  query: URLSearchParams,
): Promise<Html> {
  const [q, category] = [query.get("q") ?? "", query.get("category") ?? ""];
  const readStatus = await createEntryStatusReader(deps, principal.gateway_id, principal);
  const servers = (await catalogEntries(deps.db, principal.gateway_id))
    .filter(({ status }) => status === "shown")
    .map((entry) => ({ entry, status: readStatus(entry) }))
    .filter(({ status }) => status.level !== "none");
  const categories = [...new Set(servers.map(({ entry }) => entry.category))].sort();
  const found = servers.filter(
    ({ entry }) => (!category || entry.category === category) && matchesWords(entry, q),
  );
  const shown = found.slice(0, readCount(query));
  return html`<p class="muted">MCP servers that your client can use. Install one, or request it if it needs approval.</p>
<form class="search" role="search" method="get">
<input aria-label="Search" type="search" name="q" value="${q}" maxlength="200" placeholder="Search name, vendor or purpose" autocomplete="off">
<select aria-label="Category" name="category"><option value="">All categories</option>${categories.map(
    (name) =>
      html`<option value="${name}"${name === category ? html` selected` : html``}>${toLabel(name)}</option>`,
  )}</select>
<button class="quiet">Search</button>
</form>
<p class="muted" id="count" role="status">${describeCount(found.length)}</p>
<div id="results">
<div class="cards">${shown.map(({ entry, status }) => renderCard(entry, status))}</div>
${found.length === 0 && html`<p>${servers.length === 0 ? "The Store has no servers for you yet. Ask an administrator for access." : "Try other words, or all categories."}</p>`}
${found.length > shown.length && html`<p><a class="button quiet" href="./me?${moreQuery(query, shown.length)}">Show more</a></p>`}
</div>`;
}

/** Returns the number of cards to show. */
const readCount = (query: URLSearchParams): number =>
  Math.max(CARDS_PER_PAGE, Number(query.get("shown")) || 0);

function moreQuery(query: URLSearchParams, shown: number): string {
  const next = new URLSearchParams(query);
  next.set("shown", String(shown + CARDS_PER_PAGE));
  return next.toString();
}

const describeCount = (count: number): string =>
  count === 1 ? "1 server" : count === 0 ? "No server matches." : `${count} servers`;

/** Returns a category as a label: `developer-tools` becomes "Developer tools". */
const toLabel = (category: string): string => {
  const text = category.replaceAll(/[-_]/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

function renderCard(entry: CatalogEntry, status: EntryStatus): Html {
  const { code, name, description } = entry;
  return html`<article class="card">
<h2><a href="${linkToServer(code)}">${name}</a></h2>
<small>${describeOrigin(entry)}</small>
<p>${description}</p>
<footer>${renderState(status)}${renderButton(entry, status)}</footer>
</article>`;
}

const describeOrigin = ({ vendor, category }: CatalogEntry): string =>
  [vendor, toLabel(category)].filter(Boolean).join(" · ");

function renderState({ install_status, level, needs_setup }: EntryStatus): Html {
  if (install_status === "installed") return badge("good", "Installed");
  if (install_status === "pending_approval") return badge("warn", "Requested");
  if (level === "request") return badge("", "Needs approval");
  return needs_setup ? badge("", "Not set up yet") : html`<span></span>`;
}

/** One step for each state. */
function renderButton({ code, name }: CatalogEntry, status: EntryStatus): Html {
  const of = html`<span class="hidden"> ${name}</span>`;
  if (status.install_status !== "not_installed") {
    return html`<a class="button quiet" href="${linkToTab("servers")}">Open${of}</a>`;
  }
  if (status.level === "request") {
    return html`<a class="button" href="${linkToServer(code)}">Request${of}</a>`;
  }
  if (status.needs_setup) {
    return html`<a class="button quiet" href="${linkToServer(code)}">Details${of}</a>`;
  }
  return html`<form method="post"><input type="hidden" name="code" value="${code}"><button name="action" value="install">Install${of}</button></form>`;
}

interface ServerPageOptions {
  /** Instances to choose from. */
  choices?: readonly { name: string; registry_id: string }[];
  /** Reason that the principal has entered. */
  reason?: string;
}

export async function renderServer(
  deps: Deps,
  principal: Principal,
  code: string,
  { choices = [], reason = "" }: ServerPageOptions = {},
): Promise<{ title: string; content: Html }> {
  const entry = await findVisibleEntry(deps, principal.gateway_id, code);
  const readStatus = await createEntryStatusReader(deps, principal.gateway_id, principal);
  const status = readStatus(entry);
  // A server without access gives the same error as a missing one.
  if (status.level === "none") {
    throw new AppError("not_found", `The Store has no server with the code "${code}".`);
  }
  const instances = await listInstances(deps, principal.gateway_id, code);
  const { name, description, website_url } = entry;
  const content = html`<p class="muted">${describeOrigin(entry)}</p>
<p>${renderState(status)}</p>
<p>${description}</p>
${website_url !== null && html`<p><a href="${website_url}" target="_blank" rel="noopener noreferrer">Website of ${name}</a></p>`}
${renderNeeds(entry, instances)}
${renderInstallForm(entry, status, choices, reason)}
<p><a href="${linkToTab("")}">Back to the Store</a></p>`;
  return { title: name, content };
}

/** Lists what the principal must provide after the install. */
function renderNeeds(entry: CatalogEntry, instances: readonly McpRegistryRow[]): Html {
  const usable = instances.filter(({ enabled }) => enabled);
  const sources = usable.length > 0 ? usable.map(describeInstance) : [describeEntry(entry)];
  const needs = sources.flatMap(({ signsIn, hasKey, fields }) => [
    ...(signsIn ? [`Your account at ${entry.name}: you sign in there once.`] : []),
    ...(hasKey ? ["Your own API key."] : []),
    ...fields.filter(({ required }) => required).map(({ label, key }) => `${label || key}.`),
  ]);
  if (needs.length === 0) return html``;
  return html`<h2>What you need</h2><ul>${[...new Set(needs)].map((need) => html`<li>${need}</li>`)}</ul>`;
}

const describeInstance = ({ auth, provider_options }: McpRegistryRow) => ({
  signsIn: auth?.type === "forwarded",
  hasKey: auth?.type === "principal_key",
  fields: provider_options.fields,
});

/** For the instance that the first install creates. */
const describeEntry = (entry: CatalogEntry) => ({
  signsIn: entry.auth.type === "oauth" && entry.auth.grant_type === "authorization_code",
  hasKey: entry.auth.type === "key" && entry.auth.scope === "principal",
  fields: listPrincipalFields(entry),
});

function renderInstallForm(
  { code, name }: CatalogEntry,
  { level, install_status, needs_setup }: EntryStatus,
  choices: NonNullable<ServerPageOptions["choices"]>,
  reason: string,
): Html {
  if (install_status !== "not_installed") {
    return html`<p><a class="button" href="${linkToTab("servers")}">Open in My servers</a></p>`;
  }
  if (level === "install" && needs_setup) {
    return html`<p class="notice">An administrator must set up ${name} before you can install it.</p>`;
  }
  const options = choices.map(
    (choice, index) =>
      html`<label><input type="radio" name="instance_id" value="${choice.registry_id}" required${index === 0 ? html` checked` : html``}>${choice.name}</label>`,
  );
  return html`<form method="post">
<input type="hidden" name="code" value="${code}">
${options.length > 0 && html`<fieldset><legend>Which one do you need?</legend>${options}</fieldset>`}
${
  level === "request" &&
  html`<label for="reason">Why do you need ${name}?</label>
<textarea id="reason" name="reason" rows="4" maxlength="1000" required aria-describedby="about-reason">${reason}</textarea>
<small id="about-reason">An approver reads this and decides. You see the decision in My servers.</small>`
}
<p><button name="action" value="install">${level === "request" ? "Send request" : "Install"}</button></p>
</form>`;
}
