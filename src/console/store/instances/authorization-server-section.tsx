/** Authorization server of an instance, and a change that an administrator confirms or dismisses. */
import { useState } from "react";
import type { AuthorizationServer } from "../../../contract/store/authorization-servers.ts";
import { call } from "../../api.ts";
import { authorizationServers } from "../../endpoints.ts";
import { readAllPages } from "../../read-all-pages.ts";
import { Link } from "../../router.tsx";
import { useSession } from "../../session.ts";
import { Timestamp } from "../../ui/badge.tsx";
import { Fact } from "../../ui/event-sheet.tsx";
import { FieldChanges } from "../../ui/field-changes.tsx";
import { CheckField } from "../../ui/fields/field.tsx";
import { Section } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Failure, Ready } from "../../ui/page.tsx";
import { useAction } from "../../use-action.ts";
import { useLoad } from "../../use-load.ts";

interface InstanceRef {
  gateway_id: string;
  instance_id: string;
}

/** Shows nothing until the first principal has signed in. */
export function AuthorizationServerSection({ gateway_id, instance_id }: InstanceRef) {
  const loaded = useLoad(instance_id, (read) =>
    read(authorizationServers.list, { params: { gateway_id }, query: { instance_id } }),
  );
  return (
    <Ready of={loaded} what="The authorization server">
      {({ items: [server] }) =>
        server && (
          <Section
            title="Authorization server"
            about="People sign in here to connect an account. Client secrets and tokens are sent only to this server."
          >
            {server.advertised ? (
              <ServerChange key={server.advertised.id} gateway_id={gateway_id} server={server} />
            ) : (
              <CurrentServer server={server} />
            )}
          </Section>
        )
      }
    </Ready>
  );
}

function CurrentServer({ server: { current, accounts } }: { server: AuthorizationServer }) {
  const { confirmed_by, confirmed_at } = current;
  return (
    <dl className="facts">
      <Fact name="Issuer" value={<code>{current.issuer}</code>} />
      <Fact name="Token endpoint" value={<code>{current.token_endpoint}</code>} />
      <Fact name="Connected accounts" value={accounts} />
      <Fact name="Confirmed by" value={confirmed_by ?? "no one: set by the first sign-in"} />
      {confirmed_at && <Fact name="Confirmed" value={<Timestamp at={confirmed_at} />} />}
    </dl>
  );
}

function ServerChange({ gateway_id, server }: { gateway_id: string; server: AuthorizationServer }) {
  const { may, who, confirm, announce } = useSession();
  const [keep_client, setKeepClient] = useState(false);
  const { instance_name: name, accounts } = server;
  const params = { gateway_id, server_id: server.advertised?.id ?? "" };
  const dismiss = useAction(async () => {
    await call(authorizationServers.dismiss, { params });
    announce(`${name} keeps its authorization server.`);
  });
  const confirmChange = () =>
    confirm({
      title: "Confirm the new authorization server?",
      body: (
        <p>
          {accounts === 1 ? "1 connected account is" : `${accounts} connected accounts are`}{" "}
          removed, and everyone must connect again.
        </p>
      ),
      button: "Confirm",
      run: async () => {
        const query = { keep_client: String(keep_client) };
        await call(authorizationServers.confirm, { params, query });
        announce(`${name} uses the new authorization server.`);
      },
    });
  return (
    <>
      <div className="note warn">
        <Icon name="warning" />
        <p>
          <strong>The MCP server advertises another authorization server.</strong>{" "}
          {server.suspended
            ? "The instance is suspended and cannot be used."
            : "Sign-ins at it are rejected."}{" "}
          Confirm it only if the vendor has announced the change.
        </p>
      </div>
      <FieldChanges
        before={pickEndpoints(server.current)}
        after={pickEndpoints(server.advertised)}
      />
      <Failure title="The change failed." error={dismiss.error} />
      {may("write") && (
        <>
          {server.own_client && who.role === "owner" && (
            <CheckField
              label="The client ID and secret below are from the new server"
              hint="Otherwise they are not sent to it, and you must enter new ones."
              checked={keep_client}
              onChange={setKeepClient}
            />
          )}
          <div className="form-end">
            <button
              type="button"
              className="button"
              disabled={dismiss.busy}
              onClick={() => void dismiss.run()}
            >
              Keep current server
            </button>
            <button type="button" className="button primary" onClick={confirmChange}>
              Confirm new server…
            </button>
          </div>
        </>
      )}
    </>
  );
}

function pickEndpoints(facts: AuthorizationServer["current"] | AuthorizationServer["advertised"]) {
  if (!facts) return null;
  const { issuer, authorization_endpoint, token_endpoint, registration_endpoint } = facts;
  return { issuer, authorization_endpoint, token_endpoint, registration_endpoint };
}

/** Names the instances of a gateway whose authorization server changed. */
export function ChangedServers({ gateway_id }: { gateway_id: string }) {
  const loaded = useLoad(gateway_id, (read) =>
    readAllPages((query) => read(authorizationServers.list, { params: { gateway_id }, query })),
  );
  return (
    <Ready of={loaded} what="The authorization servers">
      {(servers) => {
        const changed = servers.filter(({ advertised }) => advertised);
        return (
          changed.length > 0 && (
            <div className="note warn">
              <Icon name="warning" />
              <p>
                <strong>Authorization servers changed.</strong> Confirm or dismiss the change of{" "}
                {changed.map(({ instance_id, instance_name }, index) => (
                  <span key={instance_id}>
                    {index > 0 && ", "}
                    <Link to={`/gateways/${gateway_id}/store/instances/${instance_id}`}>
                      {instance_name}
                    </Link>
                  </span>
                ))}
                .
              </p>
            </div>
          )
        );
      }}
    </Ready>
  );
}
