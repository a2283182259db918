/** Renders the API reference as one self-contained page, without scripts. */
import { type Html, html, renderProse } from "../pages/html.ts";
import { METHODS, type OpenApiDocument } from "./openapi.ts";
import {
  badge,
  operationArticle,
  type ReferenceEntry,
  splitSummary,
} from "./reference-operation.ts";
import { STYLE } from "./reference-style.ts";
import { inputTables, securityTable } from "./reference-tables.ts";

export function referencePage(document: OpenApiDocument): string {
  const { info } = document;
  const groups = groupsOf(document);
  const style: Html = { markup: STYLE };
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the reference</a>
<div class="page">
<nav aria-label="Operations">
<a class="brand" href="#content">${info.title}</a>
<p>Version ${info.version} · <a href="/openapi.json">openapi.json</a> · <a href="docs/guides/first-steps">Guides</a></p>
${groups.map(navigation)}
<a class="group" href="#schemas">Schemas</a>
</nav>
<main id="content">
<h1>API reference</h1>
${introduction(document)}
${groups.map((group) => section(group, document))}
${schemaSection(document)}
</main>
</div>
</body>
</html>
`.markup;
}

interface Group {
  name: string;
  description?: string;
  entries: ReferenceEntry[];
}

function groupsOf({ tags, paths }: OpenApiDocument): Group[] {
  const entries = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): ReferenceEntry[] => {
      const operation = item[method];
      if (!operation || operation["x-alias-of"]) return [];
      const aliases = METHODS.filter(
        (name) => item[name]?.["x-alias-of"] === operation.operationId,
      );
      return [{ path, method, operation, aliases }];
    }),
  );
  return tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
}

const idOf = ({ name }: Group): string => `tag-${name.toLowerCase().replaceAll(" ", "-")}`;

function navigation(group: Group): Html {
  const links = group.entries.map(({ method, operation: { operationId, summary } }) => {
    const title = renderProse(splitSummary(summary).title);
    return html`<li><a href="#${operationId}">${badge(method)}<span>${title}</span></a></li>`;
  });
  return html`<a class="group" href="#${idOf(group)}">${group.name}</a><ul>${links}</ul>`;
}

function introduction({ info, components }: OpenApiDocument): Html {
  const paragraphs = info.description
    .split("\n\n")
    .map((text) => html`<p>${renderProse(text)}</p>`);
  return html`<div class="lead">${paragraphs}</div>${securityTable(components.securitySchemes)}`;
}

function section(group: Group, document: OpenApiDocument): Html {
  const { name, description, entries } = group;
  return html`<section aria-labelledby="${idOf(group)}">
<h2 id="${idOf(group)}">${name}</h2>
${description && html`<p>${renderProse(description)}</p>`}
${entries.map((entry) => operationArticle(entry, document))}
</section>`;
}

/** The id is inside the closed part: a link to it opens the part. */
function schemaSection({ components: { schemas } }: OpenApiDocument): Html {
  const parts = Object.entries(schemas).map(
    ([name, schema]) =>
      html`<details><summary>${name}</summary><div id="schema-${name}">${inputTables(name, schema, schemas)}</div></details>`,
  );
  return html`<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
<p>All schemas, by their names in <a href="/openapi.json">openapi.json</a>.</p>
<div class="parts">${parts}</div>
</section>`;
}
