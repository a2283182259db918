/** Console → an MCP instance: how the gateway reaches one MCP server. */
import { call } from "../../api.ts";
import { registries, storeCatalog } from "../../endpoints.ts";
import { readAllPages } from "../../read-all-pages.ts";
import { useLocation } from "../../router.tsx";
import { DeleteButton, ResourcePage } from "../../ui/resource-page.tsx";
import { AuthorizationServerSection } from "./authorization-server-section.tsx";
import { InstanceForm } from "./instance-form.tsx";
import { InstanceTest } from "./instance-test.tsx";

interface InstancePageProps {
  gateway_id: string;
  /** Undefined: a new instance. */
  registry_id?: string;
}

export function InstancePage({ gateway_id, registry_id }: InstancePageProps) {
  const code = useLocation().search.get("code") ?? "";
  return (
    <ResourcePage
      noun="instance"
      id={registry_id}
      load={async (read) => {
        const [entries, stored] = await Promise.all([
          readAllPages((query) => read(storeCatalog.list, { params: { gateway_id }, query })),
          registry_id ? read(registries.get, { params: { gateway_id, registry_id } }) : undefined,
        ]);
        return { entries, stored };
      }}
      about={() => "Connection of this gateway to an MCP server."}
      actions={({ id, name, version }) => (
        <DeleteButton
          noun="instance"
          name={name}
          listPath={`/gateways/${gateway_id}/store?tab=instances`}
          mustType={name}
          remove={() =>
            call(registries.remove, {
              params: { gateway_id, registry_id: id },
              query: { force: "true" },
              version,
            })
          }
        >
          <p>
            Deletes the instance, its stored credential and every install of it, including the
            values that people entered and the accounts they connected. This cannot be undone.
          </p>
        </DeleteButton>
      )}
    >
      {({ entries, stored }) => (
        <>
          {stored && <InstanceTest gateway_id={gateway_id} instance_id={stored.id} />}
          {stored?.auth?.type === "forwarded" && (
            <AuthorizationServerSection gateway_id={gateway_id} instance_id={stored.id} />
          )}
          <InstanceForm gateway_id={gateway_id} entries={entries} registry={stored} code={code} />
        </>
      )}
    </ResourcePage>
  );
}
