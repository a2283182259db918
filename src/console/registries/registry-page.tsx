/** Console → a registry: kind, options, credential, and whether it answers. */
import { useState } from "react";
import type { Registry } from "../../contract/registries.ts";
import { call } from "../api.ts";
import { registries } from "../endpoints.ts";
import { Link, navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { Page, Ready } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { RegistryForm } from "./registry-form.tsx";

interface RegistryPageProps {
  gateway_id: string;
  /** Undefined: it is not made yet. */
  registry_id?: string;
}

export function RegistryPage(props: RegistryPageProps) {
  const [turn, setTurn] = useState(0);
  return <Opened key={turn} {...props} onStale={() => setTurn(turn + 1)} />;
}

function Opened({ gateway_id, registry_id, onStale }: RegistryPageProps & { onStale: () => void }) {
  const { may } = useSession();
  const loaded = useLoad(registry_id ?? "", async (read) => {
    const [kinds, registry] = await Promise.all([
      read(registries.kinds, { params: {} }),
      registry_id ? read(registries.get, { params: { gateway_id, registry_id } }) : undefined,
    ]);
    return { kinds: kinds.items, registry };
  });
  const stored = loaded.state === "ready" ? loaded.value.registry : undefined;
  return (
    <Page
      title={registry_id ? (stored?.name ?? "Registry") : "New registry"}
      about={stored && `Registry of the kind ${stored.provider}.`}
      actions={stored && may("write") && <Remove registry={stored} />}
    >
      <Ready of={loaded} what="The registry">
        {(value) =>
          value.registry?.type === "mcp" ? (
            <p>
              This is an MCP server:{" "}
              <Link to={`/gateways/${gateway_id}/store/instances/${registry_id}`}>
                open it in the Store
              </Link>
              .
            </p>
          ) : (
            <RegistryForm gateway_id={gateway_id} {...value} onStale={onStale} />
          )
        }
      </Ready>
    </Page>
  );
}

function Remove({ registry }: { registry: Registry }) {
  const { confirm, announce } = useSession();
  const { gateway_id, id, name } = registry;
  const question = () =>
    confirm({
      title: `Delete ${name}?`,
      body: (
        <p>
          The registry and its stored credential go, and it is detached from every consumer that
          uses it. Requests that no other registry can answer get 503. This cannot be undone.
        </p>
      ),
      button: "Delete registry",
      run: async () => {
        const params = { gateway_id, registry_id: id };
        await call(registries.remove, { params, version: registry.version });
        navigate(`/gateways/${gateway_id}/registries`);
        announce(`Registry ${name} was deleted.`);
      },
    });
  return (
    <button type="button" className="button danger" onClick={question}>
      Delete…
    </button>
  );
}
