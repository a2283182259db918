/** Keys of a collector, and service clients that exchange a secret for short-lived tokens. */
import type { Collector } from "../../contract/guard/collectors.ts";
import { call } from "../api.ts";
import { collectorKeys, serviceClients } from "../endpoints.ts";
import { evaluateRequest, tokenRequest } from "../example-requests.ts";
import { CredentialList } from "../ui/credential-list.tsx";

export function CollectorKeys({ collector }: { collector: Collector }) {
  const params = { collector_id: collector.id };
  const toSecret = ({ name, key }: { name: string; key: string }) => ({
    title: `Key ${name}`,
    about: `New key of ${collector.name}.`,
    secret: key,
    example: evaluateRequest(key),
  });
  return (
    <CredentialList
      noun="key"
      caption={`Keys of ${collector.name}`}
      empty={<p>No keys yet. Applications need a key to request evaluations.</p>}
      revokeEffect="Applications that send it get 403 and no verdict."
      list={(query, read) => read(collectorKeys.list, { params, query })}
      create={async (body) => toSecret(await call(collectorKeys.create, { params, body }))}
      rotate={async (key_id, overlap_s) => {
        const input = { params: { ...params, key_id }, body: { overlap_s } };
        return toSecret(await call(collectorKeys.rotate, input));
      }}
      revoke={(key_id) => call(collectorKeys.revoke, { params: { ...params, key_id } })}
    />
  );
}

export function ServiceClients({ collector }: { collector: Collector }) {
  const params = { collector_id: collector.id };
  const toSecret = (client: { id: string; name: string; client_secret: string }) => ({
    title: `Service client ${client.name}`,
    about: `Client secret of the client ID ${client.id}.`,
    secret: client.client_secret,
    example: tokenRequest(client.id, client.client_secret),
  });
  return (
    <>
      <p className="prose">
        For programs that must not hold a long-lived key. They exchange a client ID and secret for
        tokens that are valid for 15 minutes, and send the collector key{" "}
        <code>{collector.collector_key}</code> with them.
      </p>
      <CredentialList
        noun="service client"
        caption={`Service clients of ${collector.name}`}
        empty={<p>No service clients. Most applications need only a key.</p>}
        revokeEffect="It gets no new tokens, and its tokens stop working."
        columns={[{ head: "Client ID", cell: ({ id }) => <code>{id}</code> }]}
        list={(query, read) => read(serviceClients.list, { params, query })}
        create={async (body) => toSecret(await call(serviceClients.create, { params, body }))}
        rotate={async (key_id, overlap_s) => {
          const input = { params: { ...params, key_id }, body: { overlap_s } };
          return toSecret(await call(serviceClients.rotate, input));
        }}
        revoke={(key_id) => call(serviceClients.revoke, { params: { ...params, key_id } })}
      />
    </>
  );
}
