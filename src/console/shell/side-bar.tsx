/** Navigation of the console, without pages that the role may not see. */
import { type ReactNode, useEffect, useRef } from "react";
import { inbox, storeRequests } from "../endpoints.ts";
import { Link, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { PendingCount } from "./pending-count.tsx";

/** Target of the button that opens the drawer. */
export const NAVIGATION_ID = "navigation";

export function SideBar() {
  const { gateway, may, allGateways } = useSession();
  const gatewayPath = gateway && `/gateways/${gateway.id}`;
  const { path } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the drawer
  useEffect(() => nav.current?.hidePopover(), [path]);
  return (
    // A drawer on narrow screens; on others it is always visible.
    <nav id={NAVIGATION_ID} className="side" aria-label="Console" ref={nav} popover="auto">
      <ul>
        <Item to="/" icon="home" text="Home" exact />
        <Item to="/approvals" icon="hand" text="Approvals">
          <PendingCount
            loadKey="approvals"
            topics={["approvals", "store_requests"]}
            load={({ limit }, read) =>
              read(inbox.list, { params: {}, query: { limit, state: "pending" } })
            }
          />
        </Item>
      </ul>
      {gatewayPath && (
        <>
          <h2>{gateway.name}</h2>
          <ul>
            <Item to={`${gatewayPath}/registries`} icon="registry" text="Registries" />
            <Item to={`${gatewayPath}/consumers`} icon="consumer" text="Consumers" />
            <Item to={`${gatewayPath}/requests`} icon="requests" text="Requests" />
            <Item to={`${gatewayPath}/playground`} icon="play" text="Playground" />
            <Item to={`${gatewayPath}/store`} icon="store" text="Store">
              <PendingCount
                loadKey={gateway.id}
                topics={["store_requests"]}
                load={({ limit }, read) =>
                  read(storeRequests.list, {
                    params: { gateway_id: gateway.id },
                    query: { limit, state: "pending" },
                  })
                }
              />
            </Item>
            <Item to={gatewayPath} icon="settings" text="Settings" exact />
          </ul>
        </>
      )}
      {allGateways && (
        <>
          <h2>Guard</h2>
          <ul>
            <Item to="/policies" icon="policy" text="Policies" />
            <Item to="/detectors" icon="detector" text="Detectors" />
            <Item to="/collectors" icon="collector" text="Collectors" />
            <Item to="/activity" icon="activity" text="Activity" />
          </ul>
        </>
      )}
      <h2>Installation</h2>
      <ul>
        <Item to="/gateways" icon="gateway" text="Gateways" exact />
        <Item to="/models" icon="model" text="Models" />
        {may("own") && allGateways && <Item to="/tokens" icon="token" text="Tokens" />}
        {may("audit") && <Item to="/audit" icon="audit" text="Audit log" />}
      </ul>
    </nav>
  );
}

interface ItemProps {
  to: string;
  icon: IconName;
  text: string;
  /** Not highlighted for pages below it. */
  exact?: boolean;
  children?: ReactNode;
}

function Item({ to, icon, text, exact, children }: ItemProps) {
  const { path } = useLocation();
  const isCurrent = path === to || (!exact && path.startsWith(`${to}/`));
  return (
    <li>
      <Link to={to} aria-current={isCurrent ? "page" : undefined}>
        <Icon name={icon} /> {text} {children}
      </Link>
    </li>
  );
}
