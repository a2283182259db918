/** Converts a server.json file to a hidden catalog entry. */
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import { CatalogEntryInput } from "../contract/store/catalog.ts";
import { type ServerHeader, ServerJson } from "../contract/store/server-json.ts";
import { checkCatalogEntry } from "./check-catalog-entry.ts";

/** Throws an error with the reason if the server is not supported. */
export function entryFromServerJson(file: unknown): CatalogEntryInput {
  const server = decode(ServerJson, file);
  const remote = server.remotes?.find(({ type }) => type === "streamable-http");
  if (!remote?.url) {
    throw new AppError(
      "validation_failed",
      "remotes: must contain a remote of type streamable-http",
    );
  }
  const headers = remote.headers ?? [];
  const key = headers.find(isKey);
  const entry = decode(CatalogEntryInput, {
    code: server.name,
    name: server.title?.trim() || server.name.slice(server.name.indexOf("/") + 1),
    vendor: server.name.slice(0, server.name.indexOf("/")),
    category: "imported",
    description: toOneLine(server.description),
    icon_url: httpsOrNull(server.icons?.[0]?.src),
    website_url: httpsOrNull(server.websiteUrl),
    server_version: server.version,
    url: remote.url,
    // server.json does not describe authentication, except by a header.
    auth: key ? { type: "key", header: key.name, scheme: readScheme(key) } : { type: "unknown" },
    fields: [
      ...Object.entries(remote.variables ?? {}).map(([name, input]) => ({
        ...toField(name, input),
        in: "path",
        required: true,
      })),
      ...headers
        .filter((header) => header !== key && header.value === undefined)
        .map(({ name, ...input }) => ({ ...toField(name, input), in: "header" })),
    ],
    status: "hidden",
  });
  checkCatalogEntry(entry);
  return entry;
}

const isKey = ({ name, isSecret, value }: ServerHeader): boolean =>
  isSecret === true || (/^(authorization|x-api-key|api-key)$/i.test(name) && value !== "");

/** `Bearer {token}` → `Bearer`. */
const readScheme = ({ name, value }: ServerHeader): string =>
  /^([A-Za-z]{1,32}) \{/.exec(value ?? "")?.[1] ?? (/^authorization$/i.test(name) ? "Bearer" : "");

const toField = (
  key: string,
  input: Pick<ServerHeader, "description" | "isRequired" | "isSecret" | "choices">,
) => ({
  key,
  description: toOneLine(input.description),
  required: input.isRequired ?? false,
  secret: input.isSecret ?? false,
  choices: input.choices ?? [],
});

/** Returns only https addresses, because pages load icons from them. */
function httpsOrNull(text: string | undefined): string | null {
  const url = URL.parse(text ?? "");
  return url?.protocol === "https:" ? url.href : null;
}

const toOneLine = (text = ""): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  text.replace(/[\u0000-\u001f\u007f]/g, " ").slice(0, 2000);
