/** Console → a collector: its policy and storage, its keys, policy overrides by consumer, what it observed, calibration, and hooks of coding agents. */
import { call } from "../api.ts";
import { collectors, policies } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { Timestamp } from "../ui/badge.tsx";
import { DeleteButton, ResourcePage } from "../ui/resource-page.tsx";
import { Tabs, useTab } from "../ui/tabs.tsx";
import { Calibration } from "./calibration.tsx";
import { CodingAgents } from "./coding-agents.tsx";
import { CollectorForm } from "./collector-form.tsx";
import { CollectorKeys, ServiceClients } from "./collector-keys.tsx";
import { isObserving, ObserveButton, Observed } from "./observed.tsx";
import { Overrides } from "./overrides.tsx";

const TABS = [
  ["", "Overview"],
  ["auth", "Auth"],
  ["overrides", "Overrides"],
  ["observed", "Observed"],
  ["calibration", "Calibration"],
  ["clients", "Service clients"],
  ["agents", "Coding agents"],
] as const;

interface CollectorPageProps {
  /** Undefined: a new collector. */
  collector_id?: string;
}

export function CollectorPage({ collector_id }: CollectorPageProps) {
  const tab = useTab(TABS);
  return (
    <ResourcePage
      noun="collector"
      id={collector_id}
      load={async (read) => {
        const [all, stored] = await Promise.all([
          readAllPages((query) =>
            read(policies.list, { params: {}, query: { ...query, sort: "name" } }),
          ),
          collector_id ? read(collectors.get, { params: { collector_id } }) : undefined,
        ]);
        return { policies: all, stored };
      }}
      about={(collector) => (
        <>
          Collector <code>{collector.collector_key}</code>
          {isObserving(collector) && ", observes until "}
          {isObserving(collector) && <Timestamp at={collector.observe_until} />}
        </>
      )}
      actions={({ id, name, version }, { stored }) => (
        <>
          {stored && <ObserveButton collector={stored} />}
          <DeleteButton
            noun="collector"
            name={name}
            listPath="/collectors"
            remove={() => call(collectors.remove, { params: { collector_id: id }, version })}
          >
            <p>
              Deletes the collector, its keys, service clients and overrides. Applications that use
              them get 401. Recorded activity is kept. This cannot be undone.
            </p>
          </DeleteButton>
        </>
      )}
    >
      {({ policies: all, stored }) => (
        <>
          {stored && <Tabs label="Collector" tabs={TABS} />}
          {stored && tab === "auth" && <CollectorKeys collector={stored} />}
          {stored && tab === "clients" && <ServiceClients collector={stored} />}
          {stored && tab === "agents" && <CodingAgents collector={stored} />}
          {stored && tab === "overrides" && <Overrides collector={stored} policies={all} />}
          {stored && tab === "observed" && <Observed collector={stored} />}
          {stored && tab === "calibration" && <Calibration collector={stored} policies={all} />}
          {(!stored || !tab) && <CollectorForm collector={stored} policies={all} />}
        </>
      )}
    </ResourcePage>
  );
}
