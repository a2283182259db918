/** Renders a simple page without scripts. */
import { COLORS } from "../openapi/reference-style.ts";
import { type Html, html } from "./html.ts";

export function plainPage(title: string, content: Html, headers: Record<string, string>): Response {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${title}</h1>${content}</main></body>
</html>`;
  return new Response(page.markup, {
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      // Without a referrer, browsers send `Origin: null` with the page's own forms, which are then rejected.
      "referrer-policy": "same-origin",
      // No form-action: browsers apply it to the redirect after a form, which leads to another site.
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    },
  });
}

const { light, dark } = COLORS;
const STYLE = {
  markup: `
:root{color-scheme:light dark}
body{margin:0;font:16px/1.5 system-ui,sans-serif;background:${light.ground};color:${light.text}}
main{max-width:32rem;margin:0 auto;padding:2rem 1rem}
label{display:block;margin:1rem 0 .25rem;font-weight:600}
input,select,button{font:inherit;box-sizing:border-box;width:100%;padding:.5rem;border-radius:.25rem;border:1px solid ${light.muted};background:${light.ground};color:${light.text}}
button{margin-top:1.5rem;background:${light.accent};border-color:${light.accent};color:#fff}
button.quiet{width:auto;margin:.5rem 0;background:none;border-color:${light.muted};color:inherit}
ul{padding:0;list-style:none}
li{margin:1.5rem 0}
small{color:${light.muted}}
@media (prefers-color-scheme:dark){
body,input,select{background:${dark.ground};color:${dark.text}}
input,select,button.quiet{border-color:${dark.muted}}
small{color:${dark.muted}}
}`,
};
