/** Console → an MCP instance: a server of the Store as this gateway reaches it. */
import { useState } from "react";
import type { Registry } from "../../../contract/registries.ts";
import { call } from "../../api.ts";
import { registries, storeCatalog } from "../../endpoints.ts";
import { readAllPages } from "../../read-all-pages.ts";
import { navigate, useLocation } from "../../router.tsx";
import { useSession } from "../../session.ts";
import { Page, Ready } from "../../ui/page.tsx";
import { useLoad } from "../../use-load.ts";
import { AuthorizationServerSection } from "./authorization-server-section.tsx";
import { InstanceForm } from "./instance-form.tsx";

interface InstancePageProps {
  gateway_id: string;
  /** Undefined: it is not made yet. */
  registry_id?: string;
}

export function InstancePage(props: InstancePageProps) {
  const [turn, setTurn] = useState(0);
  return <Opened key={turn} {...props} onStale={() => setTurn(turn + 1)} />;
}

function Opened({ gateway_id, registry_id, onStale }: InstancePageProps & { onStale: () => void }) {
  const { may } = useSession();
  const code = useLocation().search.get("code") ?? "";
  const loaded = useLoad(registry_id ?? "", async (read) => {
    const [entries, registry] = await Promise.all([
      readAllPages((query) => read(storeCatalog.list, { params: { gateway_id }, query })),
      registry_id ? read(registries.get, { params: { gateway_id, registry_id } }) : undefined,
    ]);
    return { entries, registry };
  });
  const stored = loaded.state === "ready" ? loaded.value.registry : undefined;
  return (
    <Page
      title={registry_id ? (stored?.name ?? "Instance") : "New instance"}
      about="An MCP server as this gateway reaches it."
      actions={stored && may("write") && <Remove registry={stored} />}
    >
      {stored?.auth?.type === "forwarded" && (
        <AuthorizationServerSection gateway_id={gateway_id} instance_id={stored.id} />
      )}
      <Ready of={loaded} what="The instance">
        {(value) => <InstanceForm {...value} {...{ gateway_id, code, onStale }} />}
      </Ready>
    </Page>
  );
}

function Remove({ registry }: { registry: Registry }) {
  const { confirm, announce } = useSession();
  const { gateway_id, id, name, version } = registry;
  const question = () =>
    confirm({
      title: `Delete ${name}?`,
      body: (
        <p>
          The instance and its stored credential go, and so does every install of it, with what
          people filled in and the accounts they connected. This cannot be undone.
        </p>
      ),
      button: "Delete instance",
      mustType: name,
      run: async () => {
        const params = { gateway_id, registry_id: id };
        await call(registries.remove, { params, query: { force: "true" }, version });
        navigate(`/gateways/${gateway_id}/store?tab=instances`);
        announce(`Instance ${name} was deleted.`);
      },
    });
  return (
    <button type="button" className="button danger" onClick={question}>
      Delete…
    </button>
  );
}
