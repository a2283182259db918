/** Outcome of a request: error, verdict, registry, trace and headers, and the same request as code. */
import { Fragment, type ReactNode } from "react";
import { formatMs } from "../activity/activity-columns.tsx";
import { registries } from "../endpoints.ts";
import { Link } from "../router.tsx";
import type { SnippetRequest } from "../snippets.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { CodeSnippets } from "../ui/code-snippets.tsx";
import { Icon } from "../ui/icon.tsx";
import { useLoad } from "../use-load.ts";
import type { PlaygroundExchange } from "./use-exchange.ts";

interface ExchangeViewProps {
  /** Undefined: the request is not one of a gateway. */
  gateway_id: string | undefined;
  exchange: PlaygroundExchange;
  snippet: SnippetRequest;
}

export function ExchangeView({ gateway_id, exchange, snippet }: ExchangeViewProps) {
  const { facts, problem, busy } = exchange;
  return (
    <>
      {problem && (
        <div className="note danger" role="alert">
          <Icon name="warning" />
          <p>{problem}</p>
        </div>
      )}
      {facts && <Facts gateway_id={gateway_id} facts={facts} busy={busy} />}
      <details className="snippet">
        <summary>This request as code</summary>
        <CodeSnippets label="Request" request={snippet} />
      </details>
    </>
  );
}

function Facts({
  gateway_id,
  facts,
  busy,
}: {
  /** Undefined: the request is not one of a gateway. */
  gateway_id: string | undefined;
  facts: NonNullable<PlaygroundExchange["facts"]>;
  busy: boolean;
}) {
  const header = (name: string) => facts.headers.find(([known]) => known === name)?.[1];
  const trace = header("x-ag-trace-id");
  const registry_id = header("x-ag-registry");
  const shown: [string, ReactNode][] = [
    ["Status", `${facts.status}${busy ? ", receiving" : ""}`],
    ["Time to first byte", `${formatMs(facts.ms)} ms`],
    [
      "Registry",
      gateway_id && registry_id && (
        <RegistryLink key={registry_id} gateway_id={gateway_id} registry_id={registry_id} />
      ),
    ],
    ["Provider", header("x-selected-provider")],
    ["Model", header("x-selected-model")],
    ["Guard", header("x-ag-guard")],
  ];
  return (
    <section aria-label="Response">
      <dl className="facts">
        {shown
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        {trace && (
          <>
            <dt>Trace</dt>
            <dd>
              {gateway_id !== undefined && (
                <>
                  <Link to={`/gateways/${gateway_id}/requests?range=all&trace_id=${trace}`}>
                    Request
                  </Link>
                  {", "}
                </>
              )}
              <Link to={`/activity?range=all&trace_id=${trace}`}>Evaluations</Link>
            </dd>
          </>
        )}
      </dl>
      <details>
        <summary>Response headers</summary>
        <CodeBlock
          label="Response headers"
          text={facts.headers.map(([name, value]) => `${name}: ${value}`).join("\n")}
        />
      </details>
    </section>
  );
}

function RegistryLink(params: { gateway_id: string; registry_id: string }) {
  const { gateway_id, registry_id } = params;
  const loaded = useLoad(registry_id, (read) => read(registries.get, { params }));
  return (
    <Link to={`/gateways/${gateway_id}/registries/${registry_id}`}>
      {loaded.state === "ready" ? loaded.value.name : registry_id}
    </Link>
  );
}
