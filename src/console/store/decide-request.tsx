/** Approves a Store request, with an instance and an expiry, or rejects it. */
import { useState } from "react";
import type { CatalogEntry } from "../../contract/store/catalog.ts";
import type { StoreRequest } from "../../contract/store/requests.ts";
import { call } from "../api.ts";
import { storeRequests } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { ExpiryField } from "../ui/expiry-field.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { Icon } from "../ui/icon.tsx";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-action.ts";
import type { McpInstance } from "./instances/list-instances.ts";

interface DecideRequestProps {
  request: StoreRequest;
  entry: CatalogEntry;
  /** All instances of the server. */
  instances: readonly McpInstance[];
  onClose: () => void;
}

export function DecideRequest({ request, entry, instances, onClose }: DecideRequestProps) {
  const { announce } = useSession();
  const usable = instances.filter(({ enabled }) => enabled);
  const [instance_id, setInstance] = useState(request.instance_id ?? "");
  const [expires_at, setExpiry] = useState<string | null>(null);
  const [note, setNote] = useState("");
  const params = { gateway_id: request.gateway_id, request_id: request.id };
  const decide = useAction(async (approve: boolean) => {
    if (approve) {
      const body = { expires_at, note, ...(instance_id ? { instance_id } : {}) };
      await call(storeRequests.approve, { params, body });
    } else await call(storeRequests.reject, { params, body: { note } });
    onClose();
    announce(`The request of ${request.principal_sub} was ${approve ? "approved" : "rejected"}.`);
  });
  // The server creates the first instance itself, unless an administrator must set it up.
  const isBlocked = usable.length === 0 && (entry.needs_admin_setup || instances.length > 0);
  return (
    // Not a form: Enter in the note must not decide.
    <div className="decide">
      {isBlocked && (
        <p className="note">
          <Icon name="warning" />
          <span>
            This request cannot be approved: the server has no enabled instance. Create or enable
            one. <Link to={`/gateways/${request.gateway_id}/registries`}>Registries</Link>
          </span>
        </p>
      )}
      {usable.length > 1 && (
        <SelectField
          label="Instance"
          value={instance_id}
          options={[["", "Select…"], ...usable.map(({ id, name }) => [id, name] as const)]}
          onChange={setInstance}
          problem={findProblem(decide.error, "instance_id")}
        />
      )}
      <ExpiryField
        label="Access expires"
        onChange={setExpiry}
        problem={findProblem(decide.error, "expires_at")}
      />
      <TextField
        label="Note"
        hint="Shown to the requester. Required to reject."
        value={note}
        onChange={setNote}
        autoComplete="off"
        problem={findProblem(decide.error, "note")}
      />
      <Failure title="The decision was not saved." error={decide.error} />
      <div className="form-end">
        <button
          type="button"
          className="button danger"
          disabled={decide.busy}
          onClick={() => void decide.run(false)}
        >
          Reject
        </button>
        <button
          type="button"
          className="button primary"
          disabled={decide.busy || isBlocked}
          onClick={() => void decide.run(true)}
        >
          Approve
        </button>
      </div>
    </div>
  );
}
