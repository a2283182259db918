/** Renders a page for browsers. Only the script of this program may run in it. */
import { type Html, html } from "./html.ts";
import { PAGE_SCRIPT } from "./page-script.ts";
import { PAGE_STYLE } from "./page-style.ts";

/** A narrow page with a title, without scripts. */
export const plainPage = (
  title: string,
  content: Html,
  headers: Record<string, string>,
): Response =>
  renderPage(title, html`<main class="narrow"><h1>${title}</h1>${content}</main>`, headers);

/** `scripted`: the page uses `PAGE_SCRIPT`, and works without it. */
export function renderPage(
  title: string,
  body: Html,
  headers: Record<string, string>,
  { scripted = false } = {},
): Response {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ markup: PAGE_STYLE }}</style>
</head>
<body>${body}${scripted && html`<script>${{ markup: PAGE_SCRIPT }}</script>`}</body>
</html>`;
  const scripts = scripted ? `; script-src 'sha256-${SCRIPT_HASH}'; connect-src 'self'` : "";
  return new Response(page.markup, {
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      // Without a referrer, browsers send `Origin: null` with the page's own forms, which are then rejected.
      "referrer-policy": "same-origin",
      // No form-action: browsers apply it to the redirect after a form, which leads to another site.
      "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'${scripts}`,
    },
  });
}

const SCRIPT_HASH = new Bun.CryptoHasher("sha256").update(PAGE_SCRIPT).digest("base64");
