/** Console → a gateway: its settings, plugins and rate limits. */
import type { ReactNode } from "react";
import type { Gateway } from "../../contract/gateway/gateways.ts";
import { call } from "../api.ts";
import { consumers, gateways, registries } from "../endpoints.ts";
import { type GuardSources, readGuardSources } from "../guard/guard-sources.ts";
import { LimitBlocks } from "../rate-limits/limit-blocks.tsx";
import { LimitUsage } from "../rate-limits/limit-usage.tsx";
import { RateLimitsForm } from "../rate-limits/rate-limits-form.tsx";
import { useSession } from "../session.ts";
import { Ready, RefreshButton } from "../ui/page.tsx";
import { DeleteButton, ResourcePage } from "../ui/resource-page.tsx";
import { Tabs, useTab } from "../ui/tabs.tsx";
import { useLoad } from "../use-load.ts";
import { GatewayForm } from "./gateway-form.tsx";
import { RequiredPlugins } from "./required-plugins.tsx";

const TABS = [
  ["", "Settings"],
  ["limits", "Rate limits"],
  ["usage", "Limit usage"],
  ["blocks", "Blocks"],
] as const;
type Tab = (typeof TABS)[number][0];

/** Tabs whose data changes without an administrator. */
const LIVE: readonly Tab[] = ["usage", "blocks"];

export function GatewayPage({ gateway_id }: { gateway_id?: string }) {
  const tab = useTab(TABS);
  const { allGateways } = useSession();
  return (
    <ResourcePage
      noun="gateway"
      id={gateway_id}
      load={async (read) => ({
        stored: gateway_id ? await read(gateways.get, { params: { gateway_id } }) : undefined,
        sources: await readGuardSources(read, allGateways),
      })}
      about={() => "Settings and rate limits of the gateway."}
      actions={({ id, name, slug, version }) => (
        <>
          {LIVE.includes(tab) && <RefreshButton />}
          <DeleteButton
            noun="gateway"
            name={name}
            listPath="/gateways"
            mustType={slug}
            remove={() => call(gateways.remove, { params: { gateway_id: id }, version })}
          >
            <Consequences gateway_id={id} />
          </DeleteButton>
        </>
      )}
    >
      {({ stored, sources }) =>
        stored ? (
          <>
            <Tabs label="Gateway" tabs={TABS} />
            {CONTENT[tab](stored, sources)}
          </>
        ) : (
          <GatewayForm gateway={undefined} sources={sources} />
        )
      }
    </ResourcePage>
  );
}

const CONTENT: Record<Tab, (gateway: Gateway, sources: GuardSources) => ReactNode> = {
  "": (gateway, sources) => (
    <>
      <GatewayForm gateway={gateway} sources={sources} />
      <RequiredPlugins gateway={gateway} />
    </>
  ),
  limits: (gateway) => <RateLimitsForm gateway={gateway} />,
  usage: (gateway) => <LimitUsage gateway={gateway} />,
  blocks: (gateway) => <LimitBlocks gateway={gateway} />,
};

function Consequences({ gateway_id }: { gateway_id: string }) {
  const loaded = useLoad(gateway_id, (read) => {
    const input = { params: { gateway_id }, query: { limit: 200 } };
    return Promise.all([read(registries.list, input), read(consumers.list, input)]);
  });
  return (
    <Ready of={loaded} what="The contents of the gateway">
      {([upstreams, clients]) => (
        <p>
          Deletes the gateway with {count(upstreams, "registry", "registries")} and{" "}
          {count(clients, "consumer", "consumers")}, including all keys. Applications that use them
          get 404. Recorded requests and the audit log are kept. This cannot be undone.
        </p>
      )}
    </Ready>
  );
}

function count(
  { items, next_cursor }: { items: unknown[]; next_cursor: string | null },
  singular: string,
  plural: string,
): string {
  const number = `${items.length}${next_cursor ? " or more" : ""}`;
  return `${number} ${items.length === 1 ? singular : plural}`;
}
