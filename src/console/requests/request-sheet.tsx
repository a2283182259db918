/** Details of one request, with its attempts. */
import type { RequestEvent } from "../../contract/gateway/requests.ts";
import { Link } from "../router.tsx";
import { Badge, StatusBadge, Timestamp } from "../ui/badge.tsx";
import { EventSheet, Fact, type SheetNavigation } from "../ui/event-sheet.tsx";
import { lastRegistry, type RequestNames, renderName } from "./request-columns.tsx";

interface RequestSheetProps extends SheetNavigation {
  event: RequestEvent;
  names: RequestNames;
}

export function RequestSheet({ event, names, ...navigation }: RequestSheetProps) {
  return (
    <EventSheet title="Request" {...navigation}>
      <dl className="facts">
        <Fact name="Time" value={<Timestamp at={event.time} precise />} />
        <Fact
          name="Status"
          value={<StatusBadge code={event.status} />}
          filter={["status", `${event.status}`]}
        />
        {event.error_code && (
          <Fact
            name="Error"
            value={<code>{event.error_code}</code>}
            filter={["error_code", event.error_code]}
          />
        )}
        {event.error_message && <Fact name="Error message" value={event.error_message} />}
        {event.upstream_error && <Fact name="Upstream error" value={event.upstream_error} />}
        <Fact
          name="Endpoint"
          value={`${event.method} ${event.endpoint}`}
          filter={["endpoint", event.endpoint]}
        />
        <Fact
          name="Consumer"
          value={renderName(names.consumers, event.consumer_id)}
          filter={["consumer_id", event.consumer_id]}
        />
        <Fact
          name="Key ID"
          value={event.key_id && <code>{event.key_id}</code>}
          filter={["key_id", event.key_id]}
        />
        <Fact name="User" value={event.user_id} filter={["user_id", event.user_id]} />
        <Fact name="Model requested" value={event.model_asked ?? "none"} />
        <Fact
          name="Model sent"
          value={event.model_sent ?? "none"}
          filter={["model_sent", event.model_sent]}
        />
        <Fact
          name="Registry"
          value={renderName(names.registries, lastRegistry(event))}
          filter={["registry_id", event.registry_id]}
        />
        <Fact name="Provider" value={event.provider ?? "none"} />
        <Fact name="Input tokens" value={event.input_tokens ?? "unknown"} />
        <Fact name="Output tokens" value={event.output_tokens ?? "unknown"} />
        <Fact name="Time to first byte" value={formatMs(event.ttfb_ms)} />
        <Fact name="Total time" value={formatMs(event.total_ms)} />
        <Fact name="Request size" value={`${event.request_bytes.toLocaleString()} bytes`} />
        <Fact name="Response size" value={`${event.response_bytes.toLocaleString()} bytes`} />
        <Fact name="Request ID" value={<code>{event.id}</code>} />
        <Fact
          name="Trace ID"
          value={<code>{event.trace_id}</code>}
          filter={["trace_id", event.trace_id]}
        />
        <Fact
          name="Evaluations"
          value={
            <Link to={`/activity?range=all&trace_id=${event.trace_id}`}>Open in Activity</Link>
          }
        />
        <Fact name="Routing" value={<Link to={explainPath(event)}>Explain</Link>} />
      </dl>
      <h3>Attempts</h3>
      {event.attempts.length === 0 ? (
        <p className="muted">No upstream was called.</p>
      ) : (
        <ol className="attempts">
          {event.attempts.map(({ registry_id, status, error, message, ms }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: attempts have no other identity
            <li key={index}>
              <span>{renderName(names.registries, registry_id)}</span>
              {status !== null && <StatusBadge code={status} />}
              {(error || status === null) && (
                <Badge tone="bad" icon="warning" text={error ?? "no response"} />
              )}
              <span className="muted">{formatMs(ms)}</span>
              {message && <p className="attempt-message">{message}</p>}
            </li>
          ))}
        </ol>
      )}
    </EventSheet>
  );
}

/** Opens Explain of the consumer for the same endpoint and model. */
function explainPath({ gateway_id, consumer_id, endpoint, model_asked }: RequestEvent): string {
  const query = new URLSearchParams({ tab: "explain", endpoint, model: model_asked ?? "" });
  return `/gateways/${gateway_id}/consumers/${consumer_id}?${query}`;
}

const formatMs = (ms: number | null): string =>
  ms === null ? "none" : `${Math.round(ms).toLocaleString()} ms`;
