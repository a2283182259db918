/** Brings servers into the catalog, from server.json files or from a registry; they arrive hidden. */
import { useState } from "react";
import type { ImportReport } from "../../../contract/store-catalog.ts";
import { call } from "../../api.ts";
import { storeCatalog } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { AreaField, Field, TextField } from "../../ui/field.tsx";
import { findProblem, findProblemsBelow, Section } from "../../ui/form.tsx";
import { Failure } from "../../ui/page.tsx";
import { PrivateAddressField } from "../../ui/private-address-field.tsx";
import { parseJson } from "../../ui/schema-draft.ts";
import { useAction } from "../../use-load.ts";
import { ImportedServers } from "./imported-servers.tsx";

interface SourceProps {
  gateway_id: string;
  onReport: (report: ImportReport | undefined) => void;
}

export function StoreImport({ gateway_id }: { gateway_id: string }) {
  const { may } = useSession();
  const [report, setReport] = useState<ImportReport>();
  if (!may("write")) {
    return <p className="empty">Importing needs a role that may change the catalog.</p>;
  }
  return (
    <>
      <div className="try">
        <FromRegistry gateway_id={gateway_id} onReport={setReport} />
        <FromFiles gateway_id={gateway_id} onReport={setReport} />
      </div>
      <section className="below" aria-label="What came in">
        <h2>What came in</h2>
        {report ? (
          <ImportedServers gateway_id={gateway_id} report={report} />
        ) : (
          <p className="empty">
            Import servers above to see them here. Nobody else sees one until you show it.
          </p>
        )}
      </section>
    </>
  );
}

const OFFICIAL = "https://registry.modelcontextprotocol.io";

function FromRegistry({ gateway_id, onReport }: SourceProps) {
  const [registry_url, setUrl] = useState(OFFICIAL);
  const [search, setSearch] = useState("");
  const [limit, setLimit] = useState("30");
  const [allow_private, setPrivate] = useState(false);
  const read = useAction(async () => {
    onReport(undefined);
    const body = { registry_url, search, limit: Number(limit), allow_private };
    onReport(await call(storeCatalog.import, { params: { gateway_id }, body }));
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void read.run();
      }}
    >
      <Section title="From a registry">
        <TextField
          label="Address"
          type="url"
          required
          value={registry_url}
          onChange={setUrl}
          hint="Of a registry that speaks /v0.1, such as the official one."
          problem={findProblem(read.error, "registry_url")}
        />
        <TextField
          label="Search (optional)"
          value={search}
          onChange={setSearch}
          hint="In the names of servers. Empty: whatever comes first."
          problem={findProblem(read.error, "search")}
        />
        <TextField
          label="At most"
          type="number"
          required
          min={1}
          max={500}
          value={limit}
          onChange={setLimit}
          problem={findProblem(read.error, "limit")}
        />
        <PrivateAddressField
          label="May be at a private address"
          checked={allow_private}
          onChange={setPrivate}
        />
        <Failure title="Nothing was imported." error={read.error} />
        <button type="submit" className="button primary" disabled={read.busy}>
          {read.busy ? "Reading the registry…" : "Import from registry"}
        </button>
      </Section>
    </form>
  );
}

function FromFiles({ gateway_id, onReport }: SourceProps) {
  const [text, setText] = useState("");
  const read = useAction(async () => {
    onReport(undefined);
    const servers = serversIn(text, "servers");
    onReport(await call(storeCatalog.import, { params: { gateway_id }, body: { servers } }));
  });
  const open = useAction(async (files: readonly File[]) => {
    const texts = await Promise.all(files.map((file) => file.text()));
    const servers = texts.flatMap((one, index) => serversIn(one, files[index]?.name ?? ""));
    setText(JSON.stringify(servers, null, 2));
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void read.run();
      }}
    >
      <Section title="From files">
        <Field
          label="Files (optional)"
          hint="One or more server.json; their text is put below."
          problem={open.error?.message}
        >
          {(described) => (
            <input
              {...described}
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
          hint="One server, or a list of them."
          problem={findProblemsBelow(read.error, "servers")}
        />
        <Failure title="Nothing was imported." error={read.error} />
        <button type="submit" className="button primary" disabled={read.busy}>
          {read.busy ? "Importing…" : "Import servers"}
        </button>
      </Section>
    </form>
  );
}

/** Whether each is a server is for the server to say. */
function serversIn(text: string, at: string): Record<string, unknown>[] {
  const value = parseJson(text, at);
  return (Array.isArray(value) ? value : [value]) as Record<string, unknown>[];
}
