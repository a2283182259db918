/** Keys of a consumer, which applications send as X-AG-API-Key. */
import type { Consumer } from "../../contract/gateway/consumers.ts";
import type { Registry } from "../../contract/gateway/registries.ts";
import { call } from "../api.ts";
import { consumerKeys } from "../endpoints.ts";
import { chatRequest } from "../example-requests.ts";
import { CredentialList } from "../ui/credential-list.tsx";

interface ConsumerKeysProps {
  consumer: Consumer;
  upstreams: readonly Registry[];
}

export function ConsumerKeys({ consumer, upstreams }: ConsumerKeysProps) {
  const params = { gateway_id: consumer.gateway_id, consumer_id: consumer.id };
  const toSecret = ({ name, key }: { name: string; key: string }) => ({
    title: `Key ${name}`,
    about: `New key of ${consumer.name}.`,
    secret: key,
    example: chatRequest(consumer, upstreams, key),
  });
  return (
    <CredentialList
      noun="key"
      caption={`Keys of ${consumer.name}`}
      empty={<p>No keys yet. Applications need a key to use this consumer.</p>}
      revokeEffect="Applications that send it get 401."
      list={(query, read) => read(consumerKeys.list, { params, query })}
      create={async (body) => toSecret(await call(consumerKeys.create, { params, body }))}
      rotate={async (key_id, overlap_s) => {
        const input = { params: { ...params, key_id }, body: { overlap_s } };
        return toSecret(await call(consumerKeys.rotate, input));
      }}
      revoke={(key_id) => call(consumerKeys.revoke, { params: { ...params, key_id } })}
    />
  );
}
