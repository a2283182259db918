/** Tests the connection to an upstream by listing its models, and shows at which stage it failed. */
import { useState } from "react";
import type {
  ConnectionReport,
  Registry,
  RegistryInput,
} from "../../contract/gateway/registries.ts";
import { call } from "../api.ts";
import { registries } from "../endpoints.ts";
import { Badge } from "../ui/badge.tsx";
import { Section } from "../ui/form.tsx";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-action.ts";

interface ConnectionTestProps {
  gateway_id: string;
  input:
    | Pick<Registry, "id">
    | (Omit<RegistryInput, "auth" | "type"> & Partial<Pick<RegistryInput, "auth">>);
  /** Reason why the test is not possible now. */
  blocked: string | undefined;
}

export function ConnectionTest({ gateway_id, input, blocked }: ConnectionTestProps) {
  const [report, setReport] = useState<ConnectionReport>();
  const test = useAction(async () => {
    setReport(undefined);
    setReport(await call(registries.test, { params: { gateway_id }, body: input }));
  });
  return (
    <Section
      title="Connection"
      about="Lists the models of the upstream. Nothing is billed or saved."
    >
      <div className="row">
        <button
          type="button"
          className="button"
          disabled={test.busy || blocked !== undefined}
          onClick={() => void test.run()}
        >
          {test.busy ? "Testing…" : "Test connection"}
        </button>
        {blocked && <span className="muted">{blocked}</span>}
      </div>
      <div role="status">{report && <Report report={report} />}</div>
      <Failure title="The test could not run." error={test.error} />
    </Section>
  );
}

/** Of failures; the last stage is a response. */
const FAILED_STAGES: Partial<Record<ConnectionReport["stage"], string>> = {
  address: "Failed: address",
  connect: "Failed: connection",
  credential: "Failed: credential",
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
          text={ok ? "successful" : "failed"}
        />
      </dd>
      <dt>Stage</dt>
      <dd>{FAILED_STAGES[stage] ?? "The upstream responded"}</dd>
      <dt>Status</dt>
      <dd>{status_code ?? "none"}</dd>
      <dt>Time</dt>
      <dd>{latency_ms} ms</dd>
      <dt>Message</dt>
      <dd>{message}</dd>
    </dl>
  );
}
