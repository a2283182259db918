/** Renders the tables of the reference page: parameters, members, headers and errors. */
import { type Html, html, renderProse } from "../pages/html.ts";
import type { OpenApiDocument, OpenApiOperation, OpenApiResponse } from "./openapi.ts";
import { elementOf, membersOf, type ResolvedSchema, resolveSchema } from "./reference-members.ts";
import type { JsonSchema } from "./schemas.ts";

type Schemas = Record<string, JsonSchema>;

export function parameterTable({ parameters }: OpenApiOperation, schemas: Schemas): Html {
  const rows = parameters.map((parameter) => {
    const shape = resolveSchema(parameter.schema, schemas);
    return html`<tr>${nameCell(parameter.name, 0)}${cell("In", parameter.in)}${typeCell(shape, schemas)}${requiredCell(parameter.required)}${descriptionCell(shape, schemas, parameter.description)}</tr>`;
  });
  return table("Parameters", ["Name", "In", "Type", "Required", "Description"], rows);
}

/** Renders the members of a request body, with required ones and defaults. */
export function inputTables(caption: string, given: JsonSchema, schemas: Schemas): Html {
  const { anyOf, description } = resolveSchema(given, schemas).schema;
  if (anyOf) {
    const forms = anyOf.map((form, at) => inputTables(`${caption}, form ${at + 1}`, form, schemas));
    return html`${forms}`;
  }
  const members = membersOf(given, schemas);
  const words = description && renderProse(description);
  if (members.length === 0) return html`<p><b>${caption}</b> ${words}</p>`;
  const rows = members.map(
    ({ name, depth, required, shape }) =>
      html`<tr>${nameCell(name, depth)}${typeCell(shape, schemas)}${requiredCell(required)}${descriptionCell(shape, schemas)}</tr>`,
  );
  const columns = ["Name", "Type", "Required", "Description"];
  return html`${words && html`<p>${words}</p>`}${table(caption, columns, rows)}`;
}

export function outputTable(
  caption: string,
  schema: JsonSchema,
  schemas: Schemas,
): Html | undefined {
  const rows = membersOf(schema, schemas).map(
    ({ name, depth, shape }) =>
      html`<tr>${nameCell(name, depth)}${typeCell(shape, schemas)}${descriptionCell(shape, schemas)}</tr>`,
  );
  return rows.length > 0 ? table(caption, ["Name", "Type", "Description"], rows) : undefined;
}

export function securityTable(schemes: OpenApiDocument["components"]["securitySchemes"]): Html {
  const rows = Object.values(schemes).map(
    ({ name, description }) =>
      html`<tr>${nameCell(name, 0)}<td>${renderProse(description)}</td></tr>`,
  );
  return table("Authentication", ["Header", "Description"], rows);
}

export function headerTable(headers: NonNullable<OpenApiResponse["headers"]>): Html {
  const rows = Object.entries(headers).map(
    ([name, { description }]) =>
      html`<tr>${nameCell(name, 0)}<td>${renderProse(description)}</td></tr>`,
  );
  return table("Response headers", ["Name", "Description"], rows);
}

export function errorTable(errors: readonly [string, OpenApiResponse][]): Html {
  const rows = errors.map(([status, { description }]) => {
    const lines = description.split("\n").map((line) => html`<div>${renderProse(line)}</div>`);
    return html`<tr><th scope="row">${status}</th><td>${lines}</td></tr>`;
  });
  return table("Errors", ["Status", "Meaning"], rows);
}

function table(caption: string, columns: readonly string[], rows: readonly Html[]): Html {
  const heads = columns.map((name) => html`<th scope="col">${name}</th>`);
  return html`<table><caption>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>`;
}

const nameCell = (name: string, depth: number): Html =>
  html`<th scope="row" class="depth-${Math.min(depth, 4)}"><code>${name}</code></th>`;

/** On a narrow screen each row is a block, and the label replaces the column header. */
const cell = (label: string, content: Html | string): Html =>
  html`<td data-label="${label}">${content}</td>`;

const requiredCell = (required: boolean): Html =>
  required ? cell("Required", html`<b>yes</b>`) : html`<td class="none">no</td>`;

function typeCell(shape: ResolvedSchema, schemas: Schemas): Html {
  const limits = limitsOf(shape.schema);
  return html`<td class="type">${renderType(shape, schemas)}${limits && html` <small>${limits}</small>`}</td>`;
}

function descriptionCell(
  shape: ResolvedSchema,
  schemas: Schemas,
  description = shape.schema.description,
): Html {
  const choices = choicesOf(elementOf(shape, schemas) ?? shape, schemas);
  return html`<td>${description && html`<div>${renderProse(description)}</div>`}${choices.length > 0 && html`<div class="choices">One of ${choices}</div>`}</td>`;
}

function choicesOf({ schema }: ResolvedSchema, schemas: Schemas): Html[] {
  const links = (schema.anyOf ?? []).map(
    (option) => html`${renderType(resolveSchema(option, schemas), schemas)} `,
  );
  const values = (schema.enum ?? []).map((value) => html`<code>${String(value)}</code> `);
  return [...links, ...values];
}

function renderType(shape: ResolvedSchema, schemas: Schemas): Html {
  return html`${renderBaseType(shape, schemas)}${shape.nullable && " or null"}`;
}

function renderBaseType(shape: ResolvedSchema, schemas: Schemas): Html {
  const { schema, component } = shape;
  const element = elementOf(shape, schemas);
  if (element) {
    return html`${schema.type === "array" ? "array of" : "map to"} ${renderType(element, schemas)}`;
  }
  if (component) return html`<a href="#schema-${component}">${component}</a>`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.contentMediaType) return html`file`;
  if (schema.anyOf) return html`object`;
  return html`${schema.format ?? [schema.type ?? "any"].flat().join(" or ")}`;
}

function limitsOf({
  minLength,
  maxLength,
  minimum,
  maximum,
  minItems,
  maxItems,
}: JsonSchema): string {
  const range = (from: number | undefined, to: number | undefined, unit: string) => {
    if (from === undefined && to === undefined) return "";
    if (from === undefined) return `at most ${to}${unit}`;
    return to === undefined ? `at least ${from}${unit}` : `${from} to ${to}${unit}`;
  };
  return (
    range(minLength, maxLength, " characters") ||
    range(minimum, maximum, "") ||
    range(minItems, maxItems, " entries")
  );
}
