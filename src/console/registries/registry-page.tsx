/** Console → a registry: provider, options, credential and connection test. */
import { call } from "../api.ts";
import { registries } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { DeleteButton, ResourcePage } from "../ui/resource-page.tsx";
import { RegistryForm } from "./registry-form.tsx";

interface RegistryPageProps {
  gateway_id: string;
  /** Undefined: a new registry. */
  registry_id?: string;
}

export function RegistryPage({ gateway_id, registry_id }: RegistryPageProps) {
  return (
    <ResourcePage
      noun="registry"
      id={registry_id}
      load={async (read) => {
        const [kinds, stored] = await Promise.all([
          read(registries.kinds, { params: {} }),
          registry_id ? read(registries.get, { params: { gateway_id, registry_id } }) : undefined,
        ]);
        return { kinds: kinds.items, stored };
      }}
      about={({ provider }) => `Registry, provider ${provider}.`}
      actions={({ id, name, version }) => (
        <DeleteButton
          noun="registry"
          name={name}
          listPath={`/gateways/${gateway_id}/registries`}
          remove={() =>
            call(registries.remove, { params: { gateway_id, registry_id: id }, version })
          }
        >
          <p>
            Deletes the registry and its stored credential, and detaches it from every consumer.
            Requests that no other registry can serve get 503. This cannot be undone.
          </p>
        </DeleteButton>
      )}
    >
      {({ kinds, stored }) =>
        stored?.type === "mcp" ? (
          <p>
            This is an MCP server:{" "}
            <Link to={`/gateways/${gateway_id}/store/instances/${registry_id}`}>
              open it in the Store
            </Link>
            .
          </p>
        ) : (
          <RegistryForm gateway_id={gateway_id} kinds={kinds} registry={stored} />
        )
      }
    </ResourcePage>
  );
}
