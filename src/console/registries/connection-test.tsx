/** Does the upstream answer? Asks for its model list and shows how far the call came. */
import { useState } from "react";
import type { ConnectionReport, Registry, RegistryInput } from "../../contract/registries.ts";
import { call } from "../api.ts";
import { registries } from "../endpoints.ts";
import { Badge } from "../ui/badge.tsx";
import { Section } from "../ui/form.tsx";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-load.ts";

interface ConnectionTestProps {
  gateway_id: string;
  tried:
    | Pick<Registry, "id">
    | (Omit<RegistryInput, "auth" | "type"> & Partial<Pick<RegistryInput, "auth">>);
  /** Why it cannot be tried now. */
  blocked: string | undefined;
}

export function ConnectionTest({ gateway_id, tried, blocked }: ConnectionTestProps) {
  const [report, setReport] = useState<ConnectionReport>();
  const test = useAction(async () => {
    setReport(undefined);
    setReport(await call(registries.test, { params: { gateway_id }, body: tried }));
  });
  return (
    <Section
      title="Connection"
      about="Asks the upstream for its list of models. Nothing is billed, nothing is saved."
    >
      <div className="row">
        <button
          type="button"
          className="button"
          disabled={test.busy || blocked !== undefined}
          onClick={() => void test.run()}
        >
          {test.busy ? "Asking…" : "Test connection"}
        </button>
        {blocked && <span className="muted">{blocked}</span>}
      </div>
      <div role="status">{report && <Report report={report} />}</div>
      <Failure title="The connection was not tried." error={test.error} />
    </Section>
  );
}

const STAGE: Record<ConnectionReport["stage"], string> = {
  address: "Stopped at the address",
  connect: "Stopped at the connection",
  credential: "Stopped at the credential",
  answer: "The upstream answered",
};

function Report({ report }: { report: ConnectionReport }) {
  const { ok, stage, status_code, latency_ms, message } = report;
  return (
    <dl className="facts">
      <dt>Result</dt>
      <dd>
        <Badge
          tone={ok ? "good" : "bad"}
          icon={ok ? "check" : "warning"}
          text={ok ? "works" : "does not work"}
        />
      </dd>
      <dt>Stage</dt>
      <dd>{STAGE[stage]}</dd>
      <dt>Status</dt>
      <dd>{status_code ?? "none"}</dd>
      <dt>Time</dt>
      <dd>{latency_ms} ms</dd>
      <dt>Finding</dt>
      <dd>{message}</dd>
    </dl>
  );
}
