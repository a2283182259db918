/** The places of the console; what a role may not see is not offered. */
import { type ReactNode, useEffect, useRef } from "react";
import { ROOT_URL } from "../api.ts";
import { approvals, storeRequests } from "../endpoints.ts";
import { Link, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { PendingCount } from "./pending-count.tsx";

export function SideBar() {
  const { gateway, may, allGateways } = useSession();
  const here = gateway && `/gateways/${gateway.id}`;
  const { path } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen the places stand in a row that is longer than it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: both say where in the row one is
  useEffect(() => {
    const current = nav.current?.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [path, here]);
  return (
    <nav className="side" aria-label="Console" ref={nav}>
      <ul>
        <Item to="/" icon="home" text="Home" exact />
      </ul>
      {here && (
        <>
          <h2>{gateway.name}</h2>
          <ul>
            <Item to={`${here}/registries`} icon="registry" text="Registries" />
            <Item to={`${here}/consumers`} icon="consumer" text="Consumers" />
            <Item to={`${here}/requests`} icon="requests" text="Requests" />
            <Item to={`${here}/store`} icon="store" text="Store">
              <PendingCount
                of={gateway.id}
                load={({ limit }, read) =>
                  read(storeRequests.list, {
                    params: { gateway_id: gateway.id },
                    query: { limit, state: "pending" },
                  })
                }
              />
            </Item>
            <Item to={here} icon="settings" text="Settings" exact />
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
            <Item to="/approvals" icon="hand" text="Approvals">
              <PendingCount
                of="approvals"
                load={({ limit }, read) =>
                  read(approvals.list, { params: {}, query: { limit, status: "pending" } })
                }
              />
            </Item>
          </ul>
        </>
      )}
      <h2>Installation</h2>
      <ul>
        <Item to="/gateways" icon="gateway" text="Gateways" exact />
        {may("own") && allGateways && <Item to="/tokens" icon="token" text="Tokens" />}
        {may("audit") && <Item to="/audit" icon="audit" text="Audit log" />}
        <li>
          <a href={new URL("docs", ROOT_URL).href}>
            <Icon name="reference" /> API reference
          </a>
        </li>
      </ul>
      <p className="hint">Times are those of {ZONE}.</p>
    </nav>
  );
}

const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

interface ItemProps {
  to: string;
  icon: IconName;
  text: string;
  /** What lies below does not count as being here. */
  exact?: boolean;
  children?: ReactNode;
}

function Item({ to, icon, text, exact, children }: ItemProps) {
  const { path } = useLocation();
  const here = path === to || (!exact && path.startsWith(`${to}/`));
  return (
    <li>
      <Link to={to} aria-current={here ? "page" : undefined}>
        <Icon name={icon} /> {text} {children}
      </Link>
    </li>
  );
}
