/** Console → a consumer: its routing, its keys, and where a request would go. */
import type { Registry } from "../../contract/gateway/registries.ts";
import { call, type Reader, ROOT_URL } from "../api.ts";
import { consumers, registries } from "../endpoints.ts";
import { readGuardSources } from "../guard/guard-sources.ts";
import { readAllPages } from "../read-all-pages.ts";
import { useSession } from "../session.ts";
import { DeleteButton, ResourcePage } from "../ui/resource-page.tsx";
import { Tabs, useTab } from "../ui/tabs.tsx";
import { ConsumerForm } from "./consumer-form.tsx";
import { ConsumerKeys } from "./consumer-keys.tsx";
import { ConsumerModels } from "./consumer-models.tsx";
import { ExplainRouting } from "./explain-routing.tsx";

const TABS = [
  ["", "Routing"],
  ["keys", "Keys"],
  ["models", "Models"],
  ["explain", "Explain"],
] as const;

interface ConsumerPageProps {
  gateway_id: string;
  /** Undefined: a new consumer. */
  consumer_id?: string;
}

export function ConsumerPage({ gateway_id, consumer_id }: ConsumerPageProps) {
  const tab = useTab(TABS);
  const { allGateways } = useSession();
  return (
    <ResourcePage
      noun="consumer"
      id={consumer_id}
      load={async (read) => {
        const [upstreams, sources, stored] = await Promise.all([
          readRegistries(read, gateway_id),
          readGuardSources(read, allGateways),
          consumer_id ? read(consumers.get, { params: { gateway_id, consumer_id } }) : undefined,
        ]);
        return { upstreams, sources, stored };
      }}
      about={({ slug }) => <code>{`${new URL(slug, ROOT_URL).href}/v1`}</code>}
      actions={({ id, name, slug, version }) => (
        <DeleteButton
          noun="consumer"
          name={name}
          listPath={`/gateways/${gateway_id}/consumers`}
          remove={() =>
            call(consumers.remove, { params: { gateway_id, consumer_id: id }, version })
          }
        >
          <p>
            Deletes the consumer and all its keys. Applications that call <code>/{slug}/</code> get
            404. Recorded requests are kept. This cannot be undone.
          </p>
        </DeleteButton>
      )}
    >
      {({ upstreams, sources, stored }) => (
        <>
          {stored && <Tabs label="Consumer" tabs={TABS} />}
          {stored && tab === "keys" ? (
            <ConsumerKeys consumer={stored} upstreams={upstreams} />
          ) : stored && tab === "models" ? (
            <ConsumerModels consumer={stored} />
          ) : stored && tab === "explain" ? (
            <ExplainRouting consumer={stored} />
          ) : (
            <ConsumerForm
              gateway_id={gateway_id}
              consumer={stored}
              upstreams={upstreams}
              sources={sources}
            />
          )}
        </>
      )}
    </ResourcePage>
  );
}

const readRegistries = (read: Reader, gateway_id: string): Promise<Registry[]> =>
  readAllPages((query) =>
    read(registries.list, { params: { gateway_id }, query: { ...query, sort: "name" } }),
  );
