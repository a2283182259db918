/** What a collector is called with: its own keys, and clients that fetch short-lived tokens. */
import type { Collector } from "../../contract/collectors.ts";
import { call } from "../api.ts";
import { evaluateCurl, tokenCurl } from "../curl-examples.ts";
import { collectorKeys, serviceClients } from "../endpoints.ts";
import { Keys } from "../ui/credential-list.tsx";

export function CollectorKeys({ collector }: { collector: Collector }) {
  const params = { collector_id: collector.id };
  const shown = ({ name, key }: { name: string; key: string }) => ({
    title: `Key ${name}`,
    about: `This is the new key of ${collector.name}.`,
    secret: key,
    curl: evaluateCurl(key),
  });
  return (
    <Keys
      one="key"
      caption={`Keys of ${collector.name}`}
      empty={<p>This collector has no key yet, so nobody can ask it for a verdict.</p>}
      revoking="Applications that send it get 403, and no verdict."
      list={(query, read) => read(collectorKeys.list, { params, query })}
      create={async (body) => shown(await call(collectorKeys.create, { params, body }))}
      rotate={async (key_id, overlap_s) => {
        const place = { ...params, key_id };
        return shown(await call(collectorKeys.rotate, { params: place, body: { overlap_s } }));
      }}
      revoke={(key_id) => call(collectorKeys.revoke, { params: { ...params, key_id } })}
    />
  );
}

export function ServiceClients({ collector }: { collector: Collector }) {
  const params = { collector_id: collector.id };
  const shown = (made: { id: string; name: string; client_secret: string }) => ({
    title: `Service client ${made.name}`,
    about: `The client_id is ${made.id}. This is its client_secret.`,
    secret: made.client_secret,
    curl: tokenCurl(made.id, made.client_secret),
  });
  return (
    <>
      <p className="prose">
        For programs that must not hold a lasting key: they trade a client_id and its secret for
        tokens that live 15 minutes, and name the collector <code>{collector.collector_key}</code>{" "}
        beside them.
      </p>
      <Keys
        one="service client"
        caption={`Service clients of ${collector.name}`}
        empty={<p>This collector has no service client. Most applications need only a key.</p>}
        revoking="It gets no more tokens, and those it has end."
        columns={[{ head: "Client id", cell: ({ id }) => <code>{id}</code> }]}
        list={(query, read) => read(serviceClients.list, { params, query })}
        create={async (body) => shown(await call(serviceClients.create, { params, body }))}
        rotate={async (key_id, overlap_s) => {
          const place = { ...params, key_id };
          return shown(await call(serviceClients.rotate, { params: place, body: { overlap_s } }));
        }}
        revoke={(key_id) => call(serviceClients.revoke, { params: { ...params, key_id } })}
      />
    </>
  );
}
