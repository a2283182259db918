/** Console → a consumer: how its requests are routed, its keys, and where a request would go. */
import { useState } from "react";
import type { Consumer } from "../../contract/consumers.ts";
import { call, ROOT_URL } from "../api.ts";
import { consumers, registries } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { Page, Ready } from "../ui/page.tsx";
import { Tabs, useTab } from "../ui/tabs.tsx";
import { useLoad } from "../use-load.ts";
import { ConsumerForm } from "./consumer-form.tsx";
import { ConsumerKeys } from "./consumer-keys.tsx";
import { ExplainRouting } from "./explain-routing.tsx";

const TABS = [
  ["", "Routing"],
  ["keys", "Keys"],
  ["explain", "Explain"],
] as const;

interface ConsumerPageProps {
  gateway_id: string;
  /** Undefined: it is not made yet. */
  consumer_id?: string;
}

export function ConsumerPage(props: ConsumerPageProps) {
  const [turn, setTurn] = useState(0);
  return <Opened key={turn} {...props} onStale={() => setTurn(turn + 1)} />;
}

function Opened({ gateway_id, consumer_id, onStale }: ConsumerPageProps & { onStale: () => void }) {
  const { may } = useSession();
  const tab = useTab(TABS);
  const loaded = useLoad(consumer_id ?? "", async (read) => {
    const [upstreams, consumer] = await Promise.all([
      readAllPages((query) =>
        read(registries.list, { params: { gateway_id }, query: { ...query, sort: "name" } }),
      ),
      consumer_id ? read(consumers.get, { params: { gateway_id, consumer_id } }) : undefined,
    ]);
    return { upstreams, consumer };
  });
  const stored = loaded.state === "ready" ? loaded.value.consumer : undefined;
  return (
    <Page
      title={consumer_id ? (stored?.name ?? "Consumer") : "New consumer"}
      about={stored && <code>{`${new URL(stored.slug, ROOT_URL).href}/v1`}</code>}
      actions={stored && may("write") && <Remove consumer={stored} />}
    >
      <Ready of={loaded} what="The consumer">
        {({ upstreams, consumer }) => (
          <>
            {consumer && <Tabs label="Consumer" tabs={TABS} />}
            {consumer && tab === "keys" ? (
              <ConsumerKeys consumer={consumer} upstreams={upstreams} />
            ) : consumer && tab === "explain" ? (
              <ExplainRouting consumer={consumer} />
            ) : (
              <ConsumerForm {...{ gateway_id, consumer, upstreams, onStale }} />
            )}
          </>
        )}
      </Ready>
    </Page>
  );
}

function Remove({ consumer }: { consumer: Consumer }) {
  const { confirm, announce } = useSession();
  const { gateway_id, id, name, slug } = consumer;
  const question = () =>
    confirm({
      title: `Delete ${name}?`,
      body: (
        <p>
          The consumer and all its keys go. Applications that call <code>/{slug}/</code> get 404 at
          once. Its past requests stay. This cannot be undone.
        </p>
      ),
      button: "Delete consumer",
      run: async () => {
        const params = { gateway_id, consumer_id: id };
        await call(consumers.remove, { params, version: consumer.version });
        navigate(`/gateways/${gateway_id}/consumers`);
        announce(`Consumer ${name} was deleted.`);
      },
    });
  return (
    <button type="button" className="button danger" onClick={question}>
      Delete…
    </button>
  );
}
