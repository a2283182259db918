/** Scores of a collector's traffic by detector, and the thresholds they suggest. */
import { useState } from "react";
import type { DetectorCalibration, FlaggedTraffic } from "../../contract/guard/calibration.ts";
import type { Collector } from "../../contract/guard/collectors.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import { call } from "../api.ts";
import { collectors, detectors } from "../endpoints.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.ts";
import { Timestamp } from "../ui/badge.tsx";
import { SelectField } from "../ui/fields/field.tsx";
import { Failure, Ready } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { useAction } from "../use-action.ts";
import { useLoad } from "../use-load.ts";

interface CalibrationProps {
  collector: Collector;
  policies: readonly Policy[];
}

type Row = DetectorCalibration & { id: string };

const TARGETS = ["0.001", "0.005", "0.01", "0.03", "0.05"] as const;
const PERCENT = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 2 });

export function Calibration({ collector, policies }: CalibrationProps) {
  const { may, confirm, announce } = useSession();
  const [fpr, setFpr] = useState<string>("0.01");
  const params = { collector_id: collector.id };
  const loaded = useLoad(fpr, (read) =>
    read(collectors.calibration, { params, query: { fpr: Number(fpr) } }),
  );
  const apply = useAction(async ({ detector_id, detector_name }: Row, threshold: number) => {
    const at = { detector_id };
    const { settings, version } = await call(detectors.get, { params: at });
    const body = { settings: { ...settings, threshold } };
    await call(detectors.update, { params: at, body, version });
    announce(`The threshold of ${detector_name} is ${threshold}. Its policies have a new version.`);
  });
  const reset = () =>
    confirm({
      title: `Reset the calibration of ${collector.name}?`,
      body: <p>Deletes the counted scores. Thresholds and recorded activity are kept.</p>,
      button: "Reset calibration",
      run: async () => {
        await call(collectors.resetCalibration, { params });
        announce("The calibration was reset.");
      },
    });
  const columns: Column<Row>[] = [
    {
      head: "Detector",
      rowHeader: true,
      cell: ({ detector_id, detector_name }) => (
        <Link to={`/detectors/${detector_id}`}>{detector_name}</Link>
      ),
    },
    { head: "Used by", cell: ({ detector_id }) => listUses(policies, detector_id).join(", ") },
    { head: "Scores", cell: (row) => <Scores {...row} /> },
    {
      head: "Current threshold",
      cell: ({ current }) => <Flagged traffic={current} none="unknown" />,
    },
    {
      head: "Proposed threshold",
      cell: ({ proposed, count }) => (
        <Flagged
          traffic={proposed}
          none={
            count < 1 / Number(fpr)
              ? `needs ${Math.ceil(1 / Number(fpr))} evaluations`
              : "too many texts have the highest score"
          }
        />
      ),
    },
    ...(may("write")
      ? [
          {
            head: "Actions",
            cell: (row: Row) =>
              row.proposed && (
                <button
                  type="button"
                  className="button small"
                  disabled={apply.busy || row.proposed.threshold === row.current?.threshold}
                  onClick={() => row.proposed && apply.run(row, row.proposed.threshold)}
                >
                  Apply<span className="visually-hidden"> to {row.detector_name}</span>
                </button>
              ),
          },
        ]
      : []),
  ];
  return (
    <Ready of={loaded} what="The calibration">
      {({ items, assumption }) => (
        <>
          <div className="toolbar">
            <SelectField
              label="Target false-positive rate"
              hint={assumption}
              value={fpr}
              options={TARGETS.map((target) => [target, PERCENT.format(Number(target))])}
              onChange={setFpr}
            />
            {may("write") && items.length > 0 && (
              <button type="button" className="button" onClick={reset}>
                Reset…
              </button>
            )}
          </div>
          <Failure title="The threshold was not saved." error={apply.error} />
          <Table
            caption={`Calibration of ${collector.name}`}
            columns={columns}
            rows={items.map((item) => ({ ...item, id: item.detector_id }))}
            empty={
              <p>
                No scores yet. Detectors that score text are counted while their rules only observe:
                in observe mode, or with the action report.
              </p>
            }
          />
        </>
      )}
    </Ready>
  );
}

const listUses = (policies: readonly Policy[], detector_id: string): string[] =>
  policies
    .filter(({ input_rules, output_rules }) =>
      [...input_rules, ...output_rules].some((rule) => rule.detector_id === detector_id),
    )
    .map(({ name }) => name);

function Flagged({ traffic, none }: { traffic: FlaggedTraffic | null; none: string }) {
  if (!traffic) return <span className="muted">{none}</span>;
  const { threshold, count, share, events } = traffic;
  return (
    <>
      <strong>{threshold}</strong>
      <div>
        flags {count.toLocaleString()} ({PERCENT.format(share)})
      </div>
      <ul>
        {events.map(({ id, time }) => (
          <li key={id}>
            <Link to={`/activity?range=all&request_id=${id}&open=${id}`}>
              <Timestamp at={time} precise />
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

const BAR = { width: 4, height: 40 };

/** Bars on a square-root scale, so that the few high scores are visible next to the many low ones. */
function Scores({ histogram, count, since }: DetectorCalibration) {
  const highest = Math.max(...histogram.map((bar) => bar.count));
  return (
    <>
      <svg
        className="histogram"
        width={histogram.length * BAR.width}
        height={BAR.height}
        role="img"
        aria-label={`Histogram of ${count} scores from 0 to 1, on a logit scale`}
      >
        {histogram.map((bar, index) => {
          const height = Math.ceil(BAR.height * Math.sqrt(bar.count / highest));
          return (
            <rect
              key={bar.from}
              x={index * BAR.width}
              y={BAR.height - height}
              width={BAR.width - 1}
              height={height}
            >
              <title>{`${bar.from} to ${bar.to}: ${bar.count}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="muted">
        {count.toLocaleString()} since <Timestamp at={since} />
      </div>
    </>
  );
}
