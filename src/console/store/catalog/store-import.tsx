/** Imports servers into the catalog, from server.json files or a registry. They are hidden at first. */
import { useState } from "react";
import type { ImportReport } from "../../../contract/store/catalog.ts";
import { call } from "../../api.ts";
import { storeCatalog } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { AreaField, Field, TextField } from "../../ui/fields/field.tsx";
import { PrivateAddressField } from "../../ui/fields/private-address-field.tsx";
import { findProblem, findProblemsBelow } from "../../ui/find-problem.ts";
import { Section } from "../../ui/form.tsx";
import { Failure } from "../../ui/page.tsx";
import { parseJson } from "../../ui/parse-json.ts";
import { useAction } from "../../use-action.ts";
import { ImportedServers } from "./imported-servers.tsx";

interface SourceProps {
  gateway_id: string;
  onReport: (report: ImportReport | undefined) => void;
}

export function StoreImport({ gateway_id }: { gateway_id: string }) {
  const { may } = useSession();
  const [report, setReport] = useState<ImportReport>();
  if (!may("write")) {
    return <p className="empty">Import requires a role that may change the catalog.</p>;
  }
  return (
    <>
      <div className="try">
        <FromRegistry gateway_id={gateway_id} onReport={setReport} />
        <FromFiles gateway_id={gateway_id} onReport={setReport} />
      </div>
      <section className="below" aria-label="Result">
        <h2>Result</h2>
        {report ? (
          <ImportedServers gateway_id={gateway_id} report={report} />
        ) : (
          <p className="empty">
            Import servers above to see them here. People do not see a server until you show it.
          </p>
        )}
      </section>
    </>
  );
}

const OFFICIAL_REGISTRY = "https://registry.modelcontextprotocol.io";

function FromRegistry({ gateway_id, onReport }: SourceProps) {
  const [registry_url, setUrl] = useState(OFFICIAL_REGISTRY);
  const [search, setSearch] = useState("");
  const [limit, setLimit] = useState("30");
  const [allow_private, setPrivate] = useState(false);
  const importServers = useAction(async () => {
    onReport(undefined);
    const body = { registry_url, search, limit: Number(limit), allow_private };
    onReport(await call(storeCatalog.import, { params: { gateway_id }, body }));
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void importServers.run();
      }}
    >
      <Section title="From a registry">
        <TextField
          label="Address"
          type="url"
          required
          value={registry_url}
          onChange={setUrl}
          hint="URL of an MCP registry that supports API v0.1."
          problem={findProblem(importServers.error, "registry_url")}
        />
        <TextField
          label="Search (optional)"
          value={search}
          onChange={setSearch}
          hint="Searches the names of servers. Empty: no filter."
          problem={findProblem(importServers.error, "search")}
        />
        <TextField
          label="Max servers"
          type="number"
          required
          min={1}
          max={500}
          value={limit}
          onChange={setLimit}
          problem={findProblem(importServers.error, "limit")}
        />
        <PrivateAddressField checked={allow_private} onChange={setPrivate} />
        <Failure title="The import failed." error={importServers.error} />
        <button type="submit" className="button primary" disabled={importServers.busy}>
          {importServers.busy ? "Importing…" : "Import from registry"}
        </button>
      </Section>
    </form>
  );
}

function FromFiles({ gateway_id, onReport }: SourceProps) {
  const [text, setText] = useState("");
  const importServers = useAction(async () => {
    onReport(undefined);
    const servers = parseServers(text, "servers");
    onReport(await call(storeCatalog.import, { params: { gateway_id }, body: { servers } }));
  });
  const open = useAction(async (files: readonly File[]) => {
    const texts = await Promise.all(files.map((file) => file.text()));
    const servers = texts.flatMap((content, index) =>
      parseServers(content, files[index]?.name ?? ""),
    );
    setText(JSON.stringify(servers, null, 2));
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void importServers.run();
      }}
    >
      <Section title="From files">
        <Field
          label="Files (optional)"
          hint="One or more server.json files. Their content is inserted below."
          problem={open.error?.message}
        >
          {(attributes) => (
            <input
              {...attributes}
              type="file"
              accept=".json,application/json"
              multiple
              onChange={(event) => void open.run([...(event.target.files ?? [])])}
            />
          )}
        </Field>
        <AreaField
          label="server.json"
          code
          required
          rows={10}
          value={text}
          onChange={setText}
          hint="One server, or a list of servers."
          problem={findProblemsBelow(importServers.error, "servers")}
        />
        <Failure title="The import failed." error={importServers.error} />
        <button type="submit" className="button primary" disabled={importServers.busy}>
          {importServers.busy ? "Importing…" : "Import servers"}
        </button>
      </Section>
    </form>
  );
}

/** The server validates each entry. */
function parseServers(text: string, at: string): Record<string, unknown>[] {
  const value = parseJson(text, at);
  return (Array.isArray(value) ? value : [value]) as Record<string, unknown>[];
}
