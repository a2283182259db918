/** Details of a Store request, and the decision. */
import { AppError } from "../../contract/errors.ts";
import type { CatalogEntry } from "../../contract/store/catalog.ts";
import type { StoreRequest } from "../../contract/store/requests.ts";
import type { Reader } from "../api.ts";
import { storeCatalog, storeRequests } from "../endpoints.ts";
import { useSession } from "../session.ts";
import { Chips, Timestamp } from "../ui/badge.tsx";
import { DecisionBadge } from "../ui/decision-badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Fact } from "../ui/event-sheet.tsx";
import { Ready } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { DecideRequest } from "./decide-request.tsx";
import { listInstances } from "./instances/list-instances.ts";

const MAX_EARLIER = 10;

interface StoreRequestSheetProps {
  request: StoreRequest;
  onClose: () => void;
}

export function StoreRequestSheet({ request, onClose }: StoreRequestSheetProps) {
  const { may } = useSession();
  const { gateway_id, principal_sub, code } = request;
  const loaded = useLoad(request.id, async (read) => {
    const [instances, entry, earlier] = await Promise.all([
      listInstances(read, gateway_id),
      readEntry(read, gateway_id, code),
      read(storeRequests.list, {
        params: { gateway_id },
        query: { principal_sub, sort: "-created_at", limit: MAX_EARLIER + 1 },
      }),
    ]);
    return {
      instances: instances.filter((instance) => instance.code === code),
      entry,
      earlier: earlier.items.filter(({ id }) => id !== request.id).slice(0, MAX_EARLIER),
    };
  });
  return (
    <Dialog title={`${principal_sub} requests ${code}`} onClose={onClose} sheet>
      <blockquote>{request.reason ?? "No reason given."}</blockquote>
      <Ready of={loaded} what="The details">
        {({ instances, entry, earlier }) => (
          <>
            <dl className="facts">
              <Fact name="State" value={<DecisionBadge state={request.state} />} />
              <Fact name="Person" value={principal_sub} />
              <Fact name="Groups" value={<Chips of={request.groups} />} />
              <Fact
                name="Server"
                value={
                  entry
                    ? [entry.name, entry.description].filter(Boolean).join(": ")
                    : "no longer in the catalog"
                }
              />
              <Fact name="Address" value={entry && <code>{entry.url}</code>} />
              <Fact
                name="Instance"
                value={
                  instances.find(({ id }) => id === request.instance_id)?.name ?? "not selected yet"
                }
              />
              <Fact name="Requested" value={<Timestamp at={request.created_at} />} />
              <Fact name="Expires" value={<Timestamp at={request.expires_at} />} />
              {request.decided_at && (
                <>
                  <Fact name="Decided by" value={request.decided_by} />
                  <Fact name="Decided" value={<Timestamp at={request.decided_at} />} />
                  <Fact name="Note" value={request.decision_note} />
                </>
              )}
            </dl>
            <h3>Other requests of {principal_sub}</h3>
            <EarlierRequests requests={earlier} />
            {request.state === "pending" && may("approve") && entry && (
              <DecideRequest {...{ request, entry, instances, onClose }} />
            )}
          </>
        )}
      </Ready>
    </Dialog>
  );
}

/** Returns undefined if the server is no longer in the catalog. */
async function readEntry(
  read: Reader,
  gateway_id: string,
  code: string,
): Promise<CatalogEntry | undefined> {
  try {
    return await read(storeCatalog.get, { params: { gateway_id, code } });
  } catch (thrown) {
    if (AppError.from(thrown).code === "not_found") return undefined;
    throw thrown;
  }
}

function EarlierRequests({ requests }: { requests: readonly StoreRequest[] }) {
  if (requests.length === 0) return <p className="muted">None.</p>;
  return (
    <ul className="entries">
      {requests.map(({ id, code, state, created_at, decision_note }) => (
        <li key={id}>
          <DecisionBadge state={state} /> <code>{code}</code> <Timestamp at={created_at} />
          {decision_note && <span className="muted">: {decision_note}</span>}
        </li>
      ))}
    </ul>
  );
}
