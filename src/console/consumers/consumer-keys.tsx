/** The keys of a consumer: what an application sends as X-AG-API-Key. */
import type { Consumer } from "../../contract/consumers.ts";
import type { Registry } from "../../contract/registries.ts";
import { call } from "../api.ts";
import { chatCurl } from "../curl-examples.ts";
import { consumerKeys } from "../endpoints.ts";
import { Keys } from "../ui/credential-list.tsx";

interface ConsumerKeysProps {
  consumer: Consumer;
  upstreams: readonly Registry[];
}

export function ConsumerKeys({ consumer, upstreams }: ConsumerKeysProps) {
  const params = { gateway_id: consumer.gateway_id, consumer_id: consumer.id };
  const shown = ({ name, key }: { name: string; key: string }) => ({
    title: `Key ${name}`,
    about: `This is the new key of ${consumer.name}.`,
    secret: key,
    curl: chatCurl(consumer, upstreams, key),
  });
  return (
    <Keys
      one="key"
      caption={`Keys of ${consumer.name}`}
      empty={<p>This consumer has no key yet, so it cannot be used.</p>}
      revoking="Applications that send it get 401."
      list={(query, read) => read(consumerKeys.list, { params, query })}
      create={async (body) => shown(await call(consumerKeys.create, { params, body }))}
      rotate={async (key_id, overlap_s) => {
        const place = { ...params, key_id };
        return shown(await call(consumerKeys.rotate, { params: place, body: { overlap_s } }));
      }}
      revoke={(key_id) => call(consumerKeys.revoke, { params: { ...params, key_id } })}
    />
  );
}
