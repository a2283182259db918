/** Renders the guides and reference documents of `docs`, which the console links to. */
import detectors from "../../../docs/detectors.md" with { type: "text" };
import dialects from "../../../docs/dialects.md" with { type: "text" };
import errors from "../../../docs/errors.md" with { type: "text" };
import anyModel from "../../../docs/guides/any-model.md" with { type: "text" };
import backup from "../../../docs/guides/backup.md" with { type: "text" };
import cloudIdentity from "../../../docs/guides/cloud-identity.md" with { type: "text" };
import codingAgents from "../../../docs/guides/coding-agents.md" with { type: "text" };
import configurationAsCode from "../../../docs/guides/configuration-as-code.md" with {
  type: "text",
};
import egress from "../../../docs/guides/egress.md" with { type: "text" };
import failedRequests from "../../../docs/guides/failed-requests.md" with { type: "text" };
import firstSteps from "../../../docs/guides/first-steps.md" with { type: "text" };
import guard from "../../../docs/guides/guard.md" with { type: "text" };
import inlineGuard from "../../../docs/guides/inline-guard.md" with { type: "text" };
import install from "../../../docs/guides/install.md" with { type: "text" };
import outages from "../../../docs/guides/outages.md" with { type: "text" };
import rateLimits from "../../../docs/guides/rate-limits.md" with { type: "text" };
import storeAdministrators from "../../../docs/guides/store-administrators.md" with {
  type: "text",
};
import storeUsers from "../../../docs/guides/store-users.md" with { type: "text" };
import upgrade from "../../../docs/guides/upgrade.md" with { type: "text" };
import metrics from "../../../docs/metrics.md" with { type: "text" };
import permissions from "../../../docs/permissions.md" with { type: "text" };
import security from "../../../docs/security.md" with { type: "text" };
import settings from "../../../docs/settings.md" with { type: "text" };
import { STYLE } from "../openapi/reference-style.ts";
import { type Html, html } from "./html.ts";

const GUIDES = {
  "guides/first-steps": firstSteps,
  "guides/install": install,
  "guides/any-model": anyModel,
  "guides/failed-requests": failedRequests,
  "guides/rate-limits": rateLimits,
  "guides/guard": guard,
  "guides/inline-guard": inlineGuard,
  "guides/coding-agents": codingAgents,
  "guides/store-administrators": storeAdministrators,
  "guides/store-users": storeUsers,
  "guides/configuration-as-code": configurationAsCode,
  "guides/cloud-identity": cloudIdentity,
  "guides/egress": egress,
  "guides/outages": outages,
  "guides/backup": backup,
  "guides/upgrade": upgrade,
};

const REFERENCE = {
  settings,
  errors,
  permissions,
  detectors,
  dialects,
  metrics,
  security,
};

/** Text by path below `/docs/`, without `.md`. */
export const DOCUMENTS: Readonly<Record<string, string>> = { ...GUIDES, ...REFERENCE };

/** Renders a document with the navigation of all documents. */
export function documentPage(path: string, text: string): string {
  const title = titleOf(text);
  const toDocs = path.includes("/") ? "../" : "./";
  const links = (documents: Record<string, string>): Html[] =>
    Object.entries(documents).map(
      ([target, of]) =>
        html`<li><a href="${toDocs}${target}"${target === path && CURRENT}>${titleOf(of)}</a></li>`,
    );
  const content: Html = { markup: renderMarkdown(path, text) };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Portcullis</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<div class="page">
<nav aria-label="Documents">
<a class="brand" href="${toDocs}../console">Portcullis</a>
<p><a href="${toDocs}../console">Console</a> · <a href="${toDocs}../docs">API reference</a></p>
<span class="group">Guides</span><ul>${links(GUIDES)}</ul>
<span class="group">Reference</span><ul>${links(REFERENCE)}</ul>
</nav>
<main id="content" class="document">
${content}
</main>
</div>
</body>
</html>
`.markup;
}

const CURRENT: Html = { markup: ' aria-current="page"' };

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? "";

function renderMarkdown(path: string, text: string): string {
  const markup = Bun.markdown.html(text, { headings: { ids: true } });
  return markup
    .replace(/<a href="([^":#]+)\.md(#[^"]*)?">(.*?)<\/a>/gs, (_, file, hash = "", label) => {
      const target = new URL(file, `file:///${path}`).pathname.slice(1);
      // Decision records and files of the repository are not served.
      return target in DOCUMENTS ? `<a href="${file}${hash}">${label}</a>` : label;
    })
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
}

const PAGE_STYLE: Html = {
  markup: `${STYLE}
nav li a{display:block}
nav [aria-current]{color:var(--accent);font-weight:600}
.document{container-type:normal;max-width:56rem}
.document h2{margin:2.5rem 0 .5rem}
.document h3{margin:1.75rem 0 .25rem}
.document pre{margin:1rem 0;user-select:auto;-webkit-user-select:auto}
.wide{overflow-x:auto}
td{color:inherit}
@media (max-width:56rem){nav span.group{display:none}nav ul{display:flex;flex-wrap:wrap;gap:0 .25rem;margin:0}}`,
};
