/** Pages of the console that the role may see, for the side bar and the command palette. */
import type { ConsoleSession } from "../session.ts";
import type { IconName } from "../ui/icon.tsx";

export interface PageEntry {
  to: string;
  icon: IconName;
  text: string;
  /** Not highlighted for pages below it. */
  exact?: boolean;
  /** Pending decisions that the entry counts. */
  pending?: "store_requests" | "approvals";
}

export interface PageGroup {
  /** Undefined: the first group. */
  heading: string | undefined;
  pages: PageEntry[];
}

type Visitor = Pick<ConsoleSession, "gateway" | "may" | "allGateways">;

export function listPages({ gateway, may, allGateways }: Visitor): PageGroup[] {
  return [
    { heading: undefined, pages: FIRST_PAGES },
    ...(gateway ? [{ heading: gateway.name, pages: gatewayPages(`/gateways/${gateway.id}`) }] : []),
    ...(allGateways ? [{ heading: "Guard", pages: GUARD_PAGES }] : []),
    {
      heading: "Installation",
      pages: [
        { to: "/gateways", icon: "gateway", text: "Gateways", exact: true },
        { to: "/models", icon: "model", text: "Models" },
        ...(may("own") && allGateways ? [TOKENS] : []),
        ...(may("audit") ? [AUDIT] : []),
      ],
    },
  ];
}

const gatewayPages = (path: string): PageEntry[] => [
  { to: `${path}/registries`, icon: "registry", text: "Registries" },
  { to: `${path}/consumers`, icon: "consumer", text: "Consumers" },
  { to: `${path}/requests`, icon: "requests", text: "Requests" },
  { to: `${path}/playground`, icon: "play", text: "Playground" },
  { to: `${path}/store`, icon: "store", text: "Store", pending: "store_requests" },
  { to: path, icon: "settings", text: "Settings", exact: true },
];

const FIRST_PAGES: PageEntry[] = [
  { to: "/", icon: "home", text: "Home", exact: true },
  { to: "/approvals", icon: "hand", text: "Approvals", pending: "approvals" },
];

const GUARD_PAGES: PageEntry[] = [
  { to: "/policies", icon: "policy", text: "Policies" },
  { to: "/detectors", icon: "detector", text: "Detectors" },
  { to: "/collectors", icon: "collector", text: "Collectors" },
  { to: "/activity", icon: "activity", text: "Activity" },
];

const TOKENS: PageEntry = { to: "/tokens", icon: "token", text: "Tokens" };
const AUDIT: PageEntry = { to: "/audit", icon: "audit", text: "Audit log" };
