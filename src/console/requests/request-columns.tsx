/** Columns of a request, on Home and on the Requests page. */
import type { RequestEvent } from "../../contract/gateway/requests.ts";
import { StatusBadge, Timestamp } from "../ui/badge.tsx";
import type { Column } from "../ui/table.tsx";

/** Names by id. A deleted resource is shown by its id. */
export interface RequestNames {
  consumers: ReadonlyMap<string, string>;
  registries: ReadonlyMap<string, string>;
}

export const requestColumns = (
  names: RequestNames,
  show: (id: string) => void,
): Column<RequestEvent>[] => [
  {
    head: "Time",
    cell: ({ id, time }) => (
      <button type="button" className="link" onClick={() => show(id)}>
        <Timestamp at={time} precise />
      </button>
    ),
  },
  { head: "Status", cell: renderStatus },
  { head: "Endpoint", cell: ({ endpoint }) => endpoint },
  { head: "Consumer", cell: ({ consumer_id }) => renderName(names.consumers, consumer_id) },
  { head: "Model", cell: ({ model_sent, model_asked }) => model_sent ?? model_asked ?? NONE },
  { head: "Registry", cell: (event) => renderName(names.registries, lastRegistry(event)) },
  { head: "Tokens", number: true, cell: renderTokens },
  { head: "ms", number: true, cell: ({ total_ms }) => Math.round(total_ms).toLocaleString() },
];

export function renderName(names: ReadonlyMap<string, string>, id: string | null) {
  if (id === null) return NONE;
  return names.get(id) ?? <code title={id}>{id.slice(0, 8)}</code>;
}

/** Returns the registry of the response, or of the last attempt if no response was sent. */
export const lastRegistry = ({ registry_id, attempts }: RequestEvent): string | null =>
  registry_id ?? attempts.at(-1)?.registry_id ?? null;

/** Adds why the request failed, in one line. */
function renderStatus({ status, error_message, upstream_error }: RequestEvent) {
  const reason = error_message ?? upstream_error;
  return (
    <>
      <StatusBadge code={status} />
      {reason && (
        <span className="reason" title={reason}>
          {reason}
        </span>
      )}
    </>
  );
}

const NONE = <span className="muted">none</span>;

function renderTokens({ input_tokens, output_tokens }: RequestEvent) {
  if (input_tokens === null && output_tokens === null) return NONE;
  return `${input_tokens ?? 0} + ${output_tokens ?? 0}`;
}
