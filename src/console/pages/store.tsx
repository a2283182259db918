/** Console → Store: which MCP servers people of a gateway install, and who decides about it. */
import type { ReactNode } from "react";
import { AccessRules } from "../parts/access-rules.tsx";
import { Page } from "../parts/page.tsx";
import { PrincipalTokens } from "../parts/principal-tokens.tsx";
import { Refresh } from "../parts/refresh.tsx";
import { StoreCatalog } from "../parts/store-catalog.tsx";
import { StoreImport } from "../parts/store-import.tsx";
import { StoreInstalls } from "../parts/store-installs.tsx";
import { StoreInstances } from "../parts/store-instances.tsx";
import { StoreIssuers } from "../parts/store-issuers.tsx";
import { StoreRequests } from "../parts/store-requests.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { useLocation } from "../router.tsx";

const TABS = [
  ["", "Requests"],
  ["installs", "Installs"],
  ["access", "Access rules"],
  ["catalog", "Catalog"],
  ["import", "Import"],
  ["instances", "Instances"],
  ["issuers", "Issuers"],
  ["tokens", "Personal tokens"],
] as const;

interface StorePageProps {
  gateway_id: string;
}

const SHOWN: Record<string, (props: StorePageProps) => ReactNode> = {
  "": StoreRequests,
  installs: StoreInstalls,
  access: AccessRules,
  catalog: StoreCatalog,
  import: StoreImport,
  instances: StoreInstances,
  issuers: StoreIssuers,
  tokens: PrincipalTokens,
};

export function StorePage({ gateway_id }: StorePageProps) {
  const tab = useLocation().search.get("tab") ?? "";
  const Shown = SHOWN[tab] ?? StoreRequests;
  return (
    <Page
      title="Store"
      about="MCP servers that people install for themselves, as far as you let them."
      actions={<Refresh />}
    >
      <Tabs label="Store" tabs={TABS} />
      <Shown key={tab} gateway_id={gateway_id} />
    </Page>
  );
}
