/** Store request: the person, the reason and the server, with the instance and expiry of an approval. */
import { useState } from "react";
import { AppError } from "../../contract/errors.ts";
import type { InboxItem } from "../../contract/inbox.ts";
import type { CatalogEntry } from "../../contract/store/catalog.ts";
import type { StoreRequest } from "../../contract/store/requests.ts";
import { showControls } from "../../lib/text/show-controls.ts";
import type { Reader } from "../api.ts";
import { storeCatalog, storeRequests } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { listInstances, type McpInstance } from "../store/instances/list-instances.ts";
import { Chips, Timestamp } from "../ui/badge.tsx";
import { DecisionBadge } from "../ui/decision-badge.tsx";
import { Fact } from "../ui/event-sheet.tsx";
import { ExpiryField } from "../ui/fields/expiry-field.tsx";
import { SelectField } from "../ui/fields/field.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { Icon } from "../ui/icon.tsx";
import { Ready } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { DecisionBar } from "./decision-bar.tsx";

const MAX_EARLIER = 10;

interface StoreRequestDetailsProps {
  item: InboxItem;
  onDecided: () => void;
}

export function StoreRequestDetails({ item, onDecided }: StoreRequestDetailsProps) {
  const gateway_id = item.gateway_id ?? "";
  const loaded = useLoad(item.id, async (read) => {
    const params = { gateway_id, request_id: item.id };
    const request = await read(storeRequests.get, { params });
    const { principal_sub, code } = request;
    const [instances, entry, earlier] = await Promise.all([
      listInstances(read, gateway_id),
      readEntry(read, gateway_id, code),
      read(storeRequests.list, {
        params: { gateway_id },
        query: { principal_sub, sort: "-created_at", limit: MAX_EARLIER + 1 },
      }),
    ]);
    return {
      request,
      instances: instances.filter((instance) => instance.code === code),
      entry,
      earlier: earlier.items.filter(({ id }) => id !== item.id).slice(0, MAX_EARLIER),
    };
  });
  return (
    <Ready of={loaded} what="The request">
      {({ request, instances, entry, earlier }) => (
        <>
          <h2>
            {showControls(`${request.principal_sub} requests ${entry?.name ?? request.code}`)}
          </h2>
          <blockquote>{showControls(request.reason ?? "No reason given.")}</blockquote>
          <RequestFacts {...{ request, instances, entry }} />
          <h3>{showControls(`Other requests of ${request.principal_sub}`)}</h3>
          <EarlierRequests requests={earlier} />
          <Decide {...{ item, request, instances, entry, onDecided }} />
        </>
      )}
    </Ready>
  );
}

interface RequestProps {
  request: StoreRequest;
  /** All instances of the server. */
  instances: readonly McpInstance[];
  /** Undefined: no longer in the catalog. */
  entry: CatalogEntry | undefined;
}

function RequestFacts({ request, instances, entry }: RequestProps) {
  const instance = instances.find(({ id }) => id === request.instance_id);
  const server = entry && [entry.name, entry.description].filter(Boolean).join(": ");
  return (
    <dl className="facts">
      <Fact name="Status" value={<DecisionBadge state={request.state} />} />
      <Fact name="Groups" value={<Chips of={request.groups} />} />
      <Fact name="Server" value={server ?? "no longer in the catalog"} />
      <Fact name="Code" value={<code>{request.code}</code>} />
      <Fact name="Address" value={entry && <code>{entry.url}</code>} />
      <Fact name="Instance" value={instance?.name ?? "not selected yet"} />
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
  );
}

function Decide({
  item,
  request,
  instances,
  entry,
  onDecided,
}: RequestProps & StoreRequestDetailsProps) {
  const usable = instances.filter(({ enabled }) => enabled);
  const [instance_id, setInstance] = useState(request.instance_id ?? "");
  const [expires_at, setExpiry] = useState<string | null>(null);
  // The server creates the first instance itself, unless an administrator must set it up.
  const lacksInstance =
    usable.length === 0 && (entry?.needs_admin_setup === true || instances.length > 0);
  return (
    <DecisionBar
      item={item}
      isPending={request.state === "pending"}
      hint="Shown to the requester. Required to reject."
      more={{ instance_id, expires_at }}
      fields={(error) => (
        <div className="columns">
          {usable.length > 1 && (
            <SelectField
              label="Instance"
              value={instance_id}
              options={[["", "Select…"], ...usable.map(({ id, name }) => [id, name] as const)]}
              onChange={setInstance}
              problem={findProblem(error, "instance_id")}
            />
          )}
          <ExpiryField
            label="Access expires"
            onChange={setExpiry}
            problem={findProblem(error, "expires_at")}
          />
        </div>
      )}
      {...((lacksInstance || !entry) && {
        blocked: (
          <p className="note">
            <Icon name="warning" />
            {entry ? (
              <span>
                This request cannot be approved: the server has no enabled instance. Create or
                enable one.{" "}
                <Link to={`/gateways/${request.gateway_id}/registries`}>Registries</Link>
              </span>
            ) : (
              <span>This request cannot be approved: the server is no longer in the catalog.</span>
            )}
          </p>
        ),
      })}
      onDecided={onDecided}
    />
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
          <DecisionBadge state={state} /> <code>{showControls(code)}</code>{" "}
          <Timestamp at={created_at} />
          {decision_note && <span className="muted">: {showControls(decision_note)}</span>}
        </li>
      ))}
    </ul>
  );
}
