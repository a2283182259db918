/** Evaluations of the playground: sends text as a collector, and shows the verdict and the findings. */
import { useMemo, useState } from "react";
import type { Collector } from "../../contract/guard/collectors.ts";
import type { Direction, Verdict } from "../../contract/guard/evaluate.ts";
import { Findings } from "../activity/findings.tsx";
import { ROOT_URL } from "../api.ts";
import { collectors } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { CodeBlock } from "../ui/code-block.tsx";
import { AreaField, SelectField, TextField } from "../ui/fields/field.tsx";
import { Ready } from "../ui/page.tsx";
import { VerdictBadge } from "../ui/verdict-badge.tsx";
import { useLoad } from "../use-load.ts";
import { ExchangeView } from "./exchange-view.tsx";
import { createCollectorSender } from "./send-as-consumer.ts";
import { SendButtons } from "./send-buttons.tsx";
import { useExchange } from "./use-exchange.ts";

export function EvaluationForm() {
  const { allGateways } = useSession();
  const loaded = useLoad("collectors", async (read) =>
    allGateways
      ? readAllPages((query) => read(collectors.list, { params: {}, query }))
      : Promise.resolve([]),
  );
  if (!allGateways) return <p>Your token is limited to some gateways, so it may not evaluate.</p>;
  return (
    <Ready of={loaded} what="The collectors">
      {(all) =>
        all[0] ? (
          <CollectorForm all={all} />
        ) : (
          <p>
            There is no collector. <Link to="/collectors/new">Create one.</Link>
          </p>
        )
      }
    </Ready>
  );
}

const DIRECTIONS: readonly (readonly [Direction, string])[] = [
  ["input", "Input"],
  ["output", "Output"],
];

function CollectorForm({ all }: { all: readonly Collector[] }) {
  const [collector_id, setCollector] = useState(all[0]?.id ?? "");
  const [direction, setDirection] = useState<Direction>("input");
  const [consumer_id, setConsumer] = useState("");
  const [text, setText] = useState("My card number is 4111 1111 1111 1111.");
  const [verdict, setVerdict] = useState<Verdict>();
  const send = useMemo(() => createCollectorSender(collector_id), [collector_id]);
  const exchange = useExchange(send);
  const body = {
    payload: { input: text },
    direction,
    ...(consumer_id ? { consumer_id } : {}),
  };
  const submit = () =>
    exchange.run({ path: "/v1/evaluate", body }, async (response) =>
      setVerdict((await response.json()) as Verdict),
    );
  return (
    <div className="playground">
      <div>
        <SelectField
          label="Collector"
          value={collector_id}
          options={all.map(({ id, name }) => [id, name])}
          onChange={setCollector}
        />
        <SelectField
          label="Direction"
          value={direction}
          options={DIRECTIONS}
          onChange={(value) => setDirection(value === "output" ? "output" : "input")}
        />
        <TextField
          label="Consumer ID"
          value={consumer_id}
          onChange={setConsumer}
          hint="Person or program that acts. Optional."
        />
        <AreaField label="Text" value={text} rows={5} onChange={setText} />
        <SendButtons exchange={exchange} disabled={text === ""} onSend={submit} />
      </div>
      <div>
        {verdict && (
          <section aria-label="Verdict">
            <p className="verdict-large">
              <VerdictBadge status={verdict.status} />
            </p>
            {verdict.policy === null && (
              <p className="hint">No policy applies, so nothing was inspected.</p>
            )}
            <Findings findings={verdict.findings} plain />
            {verdict.transformed_payload && (
              <CodeBlock
                label="Changed payload"
                text={JSON.stringify(verdict.transformed_payload, null, 2)}
              />
            )}
          </section>
        )}
        <ExchangeView
          gateway_id={undefined}
          exchange={exchange}
          snippet={{
            url: new URL("v1/evaluate", ROOT_URL).href,
            headers: { Authorization: "Bearer YOUR_COLLECTOR_KEY" },
            json: body,
          }}
        />
      </div>
    </div>
  );
}
