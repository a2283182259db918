/** Tests an MCP instance: health, latency and the tools of its server. */

import { useState } from "react";
import type { InstanceReport } from "../../../contract/store/instances.ts";
import { call } from "../../api.ts";
import { storeInstances } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Section } from "../../ui/form.tsx";
import { Failure } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useAction } from "../../use-action.ts";

interface InstanceTestProps {
  gateway_id: string;
  instance_id: string;
}

export function InstanceTest({ gateway_id, instance_id }: InstanceTestProps) {
  const { may } = useSession();
  const [report, setReport] = useState<InstanceReport>();
  const test = useAction(async () => {
    setReport(undefined);
    const params = { gateway_id, instance_id };
    setReport(await call(storeInstances.test, { params }));
  });
  return (
    <Section
      title="Test"
      about="Connects to the server with the saved settings and lists its tools. Nothing is saved."
    >
      <div className="row">
        <button
          type="button"
          className="button"
          disabled={test.busy || !may("write")}
          onClick={() => void test.run()}
        >
          {test.busy ? "Testing…" : "Test"}
        </button>
        {!may("write") && <span className="muted">Requires the permission write.</span>}
      </div>
      <div role="status" className="explanation">
        {report && <Report report={report} />}
      </div>
      <Failure title="The test could not run." error={test.error} />
    </Section>
  );
}

function Report({ report: { ok, latency_ms, message, tools, notes } }: { report: InstanceReport }) {
  return (
    <>
      <p className="row">
        <Badge
          tone={ok ? "good" : "bad"}
          icon={ok ? "check" : "warning"}
          text={ok ? "healthy" : "failed"}
        />
        <span>
          {message} <span className="muted">{latency_ms} ms</span>
        </span>
      </p>
      {notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
      {tools.length > 0 && (
        <Table
          caption="Tools of the server"
          columns={COLUMNS}
          rows={tools.map((tool) => ({ ...tool, id: tool.name }))}
          empty={null}
        />
      )}
    </>
  );
}

type Tool = InstanceReport["tools"][number] & { id: string };

const STATES: Record<Tool["state"], string> = {
  offered: "offered",
  not_allowed: "not allowed by this instance",
  held: "held back until it is accepted",
};

const COLUMNS: Column<Tool>[] = [
  { head: "Tool", rowHeader: true, cell: ({ name }) => <code>{name}</code> },
  { head: "Description", cell: ({ description }) => description },
  {
    head: "State",
    cell: ({ state }) => (
      <Badge
        tone={state === "offered" ? "good" : "warn"}
        icon={state === "offered" ? "check" : "hand"}
        text={STATES[state]}
      />
    ),
  },
];
