/** Navigation of the console, without pages that the role may not see. */
import { Fragment, useEffect, useRef } from "react";
import { inbox, storeRequests } from "../endpoints.ts";
import { Link, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { Icon } from "../ui/icon.tsx";
import { listPages, type PageEntry } from "./list-pages.ts";
import { PendingCount } from "./pending-count.tsx";

/** Target of the button that opens the drawer. */
export const NAVIGATION_ID = "navigation";

export function SideBar() {
  const { path } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the drawer
  useEffect(() => nav.current?.hidePopover(), [path]);
  return (
    // A drawer on narrow screens; on others it is always visible.
    <nav id={NAVIGATION_ID} className="side" aria-label="Console" ref={nav} popover="auto">
      {listPages(useSession()).map(({ heading, pages }) => (
        <Fragment key={heading}>
          {heading && <h2>{heading}</h2>}
          <ul>
            {pages.map((page) => (
              <Item key={page.to} {...page} />
            ))}
          </ul>
        </Fragment>
      ))}
    </nav>
  );
}

function Item({ to, icon, text, exact, pending }: PageEntry) {
  const { path } = useLocation();
  const { gateway } = useSession();
  const isCurrent = path === to || (!exact && path.startsWith(`${to}/`));
  return (
    <li>
      <Link to={to} aria-current={isCurrent ? "page" : undefined}>
        <Icon name={icon} /> {text}{" "}
        {pending === "store_requests" && gateway && (
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
        )}
        {pending === "approvals" && (
          <PendingCount
            loadKey="approvals"
            topics={["approvals", "store_requests"]}
            load={({ limit }, read) =>
              read(inbox.list, { params: {}, query: { limit, state: "pending" } })
            }
          />
        )}
      </Link>
    </li>
  );
}
