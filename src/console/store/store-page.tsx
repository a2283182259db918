/** Console → Store: requests, installs, access, catalog, instances and principals of a gateway. */
import type { ReactNode } from "react";
import { useLocation } from "../router.tsx";
import { Page, RefreshButton } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AccessRules } from "./access/access-rules.tsx";
import { StoreCatalog } from "./catalog/store-catalog.tsx";
import { StoreImport } from "./catalog/store-import.tsx";
import { StoreInstances } from "./instances/store-instances.tsx";
import { PrincipalTokens } from "./principals/principal-tokens.tsx";
import { StoreIssuers } from "./principals/store-issuers.tsx";
import { StoreInstalls } from "./store-installs.tsx";
import { StoreRequests } from "./store-requests.tsx";

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

const CONTENT: Record<string, (props: StorePageProps) => ReactNode> = {
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
  const Content = CONTENT[tab] ?? StoreRequests;
  return (
    <Page
      title="Store"
      about="MCP servers that people can install, within the access rules."
      actions={<RefreshButton />}
    >
      <Tabs label="Store" tabs={TABS} />
      <Content key={tab} gateway_id={gateway_id} />
    </Page>
  );
}
