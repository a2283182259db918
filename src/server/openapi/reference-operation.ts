/** Renders an operation on the reference page: path, example, parameters, responses, errors. */
import { type Html, html, renderProse } from "../pages/html.ts";
import type { Method, OpenApiDocument, OpenApiOperation, OpenApiResponse } from "./openapi.ts";
import { toCurlCommand } from "./reference-curl.ts";
import {
  errorTable,
  headerTable,
  inputTables,
  outputTable,
  parameterTable,
} from "./reference-tables.ts";
import type { JsonSchema } from "./schemas.ts";

export interface ReferenceEntry {
  path: string;
  method: Method;
  operation: OpenApiOperation;
  /** Other methods with the same meaning. */
  aliases: readonly Method[];
}

export function operationArticle(
  entry: ReferenceEntry,
  { paths, components }: OpenApiDocument,
): Html {
  const { path, operation } = entry;
  const { schemas } = components;
  const { operationId: id, description, requestBody, responses } = operation;
  const { title, rest } = splitSummary(operation.summary);
  const replies = Object.entries(responses);
  return html`<article id="${id}" aria-labelledby="${id}-title">
<header>
<h3 id="${id}-title"><a href="#${id}">${renderProse(title)}</a></h3>
<p class="address">${badge(entry.method)} <code>${path}</code></p>
${entry.aliases.map((method) => html`<p class="address" id="${paths[path]?.[method]?.operationId}">${badge(method)} <code>${path}</code> is equivalent</p>`)}
${rest && html`<p>${renderProse(rest)}</p>`}
${description && html`<p>${renderProse(description)}</p>`}
</header>
<div class="example">
<p id="${id}-example">Example</p>
<pre tabindex="0" role="region" aria-labelledby="${id}-example ${id}-title"><code>${toCurlCommand(entry)}</code></pre>
</div>
<div class="parts">
${operation.parameters.length > 0 && parameterTable(operation, schemas)}
${Object.values(requestBody?.content ?? {}).map(({ schema }) => inputTables("Body", schema, schemas))}
${replies.filter(isSuccess).map(([status, reply]) => replyPart(status, reply, schemas))}
${errorPart(replies.filter((reply) => !isSuccess(reply)))}
</div>
</article>
`;
}

export const badge = (method: Method): Html =>
  html`<span class="method ${method}">${method}</span>`;

/** Splits a summary at the first semicolon into a title and details. */
export function splitSummary(summary: string): { title: string; rest: string } {
  const [title = "", rest = ""] = summary.split(/; (.*)/);
  return { title, rest: rest && `${rest.charAt(0).toUpperCase()}${rest.slice(1)}.` };
}

const isSuccess = ([status]: [string, OpenApiResponse]): boolean => status < "400";

function replyPart(
  status: string,
  reply: OpenApiResponse,
  schemas: Record<string, JsonSchema>,
): Html {
  const types = Object.keys(reply.content ?? {});
  const schema = reply.content?.["application/json"]?.schema;
  return html`<details><summary>Response <span>${[status, ...types].join(" · ")}</span></summary>
<p>${renderProse(reply.description)}</p>
${reply.headers && headerTable(reply.headers)}
${schema && outputTable("Response members", schema, schemas)}
</details>`;
}

function errorPart(errors: [string, OpenApiResponse][]): Html {
  const statuses = errors.map(([status]) => status).join(" · ");
  return html`<details><summary>Errors <span>${statuses}</span></summary>${errorTable(errors)}</details>`;
}
