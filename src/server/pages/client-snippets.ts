/** Tab "Connect a client": the configuration of common MCP clients for this gateway. */
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { type Html, html } from "./html.ts";
import { linkToTab } from "./store-layout.ts";

interface Snippet {
  client: string;
  /** File that contains the code, or where to run it. */
  at: string;
  code: string;
}

export function renderSnippets(url: string): Html {
  return html`<p class="muted">Your client needs one address for all of your servers, and your personal token: replace <code>pp_…</code>, or set the variable <code>PERSONAL_TOKEN</code>. A token is shown only once. If you no longer have it, <a href="${linkToTab("tokens")}">rotate it</a>.</p>
${listSnippets(url).map(renderSnippet)}
<p class="muted">The client then lists the tools of your servers, and the tools of the Store: ask it to “find a server for our wiki and install it”.</p>`;
}

function renderSnippet({ client, at, code }: Snippet, index: number): Html {
  const id = `snippet-${index}`;
  return html`<h2>${client}</h2>
<div class="row ends"><small>${at}</small><button class="quiet" type="button" data-copy="${id}" hidden>Copy<span class="hidden"> the configuration of ${client}</span></button></div>
<pre tabindex="0"><code id="${id}">${code}</code></pre>`;
}

/** Key of this gateway in the configuration of a client. */
const KEY = "company";

function listSnippets(url: string): Snippet[] {
  return [
    {
      client: "Claude Code",
      at: "Run in a terminal",
      code: `claude mcp add --transport http ${KEY} ${shellQuote(url)} \\\n  --header "Authorization: Bearer $PERSONAL_TOKEN"`,
    },
    {
      client: "Claude Desktop",
      at: "claude_desktop_config.json (Settings → Developer → Edit Config; requires Node.js)",
      code: toJson({
        mcpServers: {
          [KEY]: {
            command: "npx",
            // Without a space after the colon, which Claude Desktop on Windows does not pass on.
            args: [
              "-y",
              "mcp-remote",
              url,
              "--header",
              `Authorization:${placeholder("AUTHORIZATION")}`,
            ],
            env: { AUTHORIZATION: "Bearer pp_…" },
          },
        },
      }),
    },
    {
      client: "Cursor",
      at: "~/.cursor/mcp.json",
      code: toJson({
        mcpServers: { [KEY]: { url, headers: bearer(placeholder("env:PERSONAL_TOKEN")) } },
      }),
    },
    {
      client: "VS Code",
      at: ".vscode/mcp.json",
      code: toJson({
        inputs: [
          { id: "token", type: "promptString", description: "Personal token", password: true },
        ],
        servers: { [KEY]: { type: "http", url, headers: bearer(placeholder("input:token")) } },
      }),
    },
    {
      client: "Codex",
      at: "~/.codex/config.toml",
      code: `[mcp_servers.${KEY}]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "PERSONAL_TOKEN"`,
    },
    {
      client: "Other clients",
      at: "Streamable HTTP with a bearer token",
      code: toJson({ mcpServers: { [KEY]: { type: "http", url, headers: bearer("pp_…") } } }),
    },
  ];
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Returns a placeholder that the client replaces. */
const placeholder = (name: string): string => `\${${name}}`;

const toJson = (value: unknown): string => JSON.stringify(value, null, 2);
