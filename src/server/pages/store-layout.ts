/** Layout of the Store's pages: navigation, the signed-in person, and the content of a tab. */
import type { Principal } from "../../mcp-store/principals/identify-principal.ts";
import { type Html, html } from "./html.ts";
import { renderPage } from "./plain-page.ts";

/** Values of `?tab=`. */
export type StoreTab = "" | "servers" | "clients" | "tokens";

const TABS: readonly (readonly [StoreTab, string])[] = [
  ["", "Store"],
  ["servers", "My servers"],
  ["clients", "Connect a client"],
  ["tokens", "Your tokens"],
];

export const isStoreTab = (tab: string): tab is StoreTab => TABS.some(([name]) => name === tab);

interface StorePage {
  title: string;
  tab: StoreTab;
  content: Html;
}

export function storePage(
  { principal_sub }: Principal,
  { title, tab, content }: StorePage,
  headers: Record<string, string>,
): Response {
  const links = TABS.map(
    ([name, label]) =>
      html`<a href="${linkToTab(name)}"${name === tab ? html` aria-current="page"` : html``}>${label}</a>`,
  );
  const body = html`<header><div>
<nav aria-label="Store">${links}</nav>
<form method="post"><small>Signed in as ${principal_sub}.</small> <button class="quiet" name="sign_out">Sign out</button></form>
</div></header>
<main class="wide"><h1>${title}</h1>${content}</main>`;
  return renderPage(title, body, headers, { scripted: true });
}

/** Relative to `/me`, which is valid behind a proxy with a prefix. */
export const linkToTab = (tab: StoreTab): string => (tab ? `./me?tab=${tab}` : "./me");

export const linkToServer = (code: string): string => `./me?server=${encodeURIComponent(code)}`;

export const badge = (tone: "good" | "warn" | "bad" | "", text: string): Html =>
  html`<span class="badge ${tone}">${text}</span>`;
