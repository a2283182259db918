/** Console → a collector: its policy and what is kept, its keys, and for whom another policy judges. */
import { useState } from "react";
import type { Collector } from "../../contract/collectors.ts";
import { call } from "../api.ts";
import { collectors, policies } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { Page, Ready } from "../ui/page.tsx";
import { Tabs, useTab } from "../ui/tabs.tsx";
import { useLoad } from "../use-load.ts";
import { CollectorForm } from "./collector-form.tsx";
import { CollectorKeys, ServiceClients } from "./collector-keys.tsx";
import { Overrides } from "./overrides.tsx";

const TABS = [
  ["", "Overview"],
  ["auth", "Auth"],
  ["overrides", "Overrides"],
  ["clients", "Service clients"],
] as const;

interface CollectorPageProps {
  /** Undefined: it is not made yet. */
  collector_id?: string;
}

export function CollectorPage(props: CollectorPageProps) {
  const [turn, setTurn] = useState(0);
  return <Opened key={turn} {...props} onStale={() => setTurn(turn + 1)} />;
}

function Opened({ collector_id, onStale }: CollectorPageProps & { onStale: () => void }) {
  const { may } = useSession();
  const tab = useTab(TABS);
  const loaded = useLoad(collector_id ?? "", async (read) => {
    const [known, collector] = await Promise.all([
      readAllPages((query) =>
        read(policies.list, { params: {}, query: { ...query, sort: "name" } }),
      ),
      collector_id ? read(collectors.get, { params: { collector_id } }) : undefined,
    ]);
    return { known, collector };
  });
  const stored = loaded.state === "ready" ? loaded.value.collector : undefined;
  return (
    <Page
      title={collector_id ? (stored?.name ?? "Collector") : "New collector"}
      about={
        stored && (
          <>
            Collector <code>{stored.collector_key}</code>
          </>
        )
      }
      actions={stored && may("write") && <Remove collector={stored} />}
    >
      <Ready of={loaded} what="The collector">
        {({ known, collector }) => (
          <>
            {collector && <Tabs label="Collector" tabs={TABS} />}
            {collector && tab === "auth" && <CollectorKeys collector={collector} />}
            {collector && tab === "clients" && <ServiceClients collector={collector} />}
            {collector && tab === "overrides" && (
              <Overrides collector={collector} policies={known} />
            )}
            {(!collector || !tab) && (
              <CollectorForm collector={collector} policies={known} onStale={onStale} />
            )}
          </>
        )}
      </Ready>
    </Page>
  );
}

function Remove({ collector }: { collector: Collector }) {
  const { confirm, announce } = useSession();
  const { id: collector_id, name, version } = collector;
  const question = () =>
    confirm({
      title: `Delete ${name}?`,
      body: (
        <p>
          The collector, its keys, service clients and overrides go. Applications that use them get
          401 and no verdict at once. What Activity recorded stays. This cannot be undone.
        </p>
      ),
      button: "Delete collector",
      run: async () => {
        await call(collectors.remove, { params: { collector_id }, version });
        navigate("/collectors");
        announce(`Collector ${name} was deleted.`);
      },
    });
  return (
    <button type="button" className="button danger" onClick={question}>
      Delete…
    </button>
  );
}
