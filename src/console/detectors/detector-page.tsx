/** Console → a detector: its kind, its settings, and whether it looks at all. */
import { useState } from "react";
import type { DetectorResource } from "../../contract/detectors.ts";
import { call } from "../api.ts";
import { detectors } from "../endpoints.ts";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { Page, Ready } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { DetectorForm } from "./detector-form.tsx";

interface DetectorPageProps {
  /** Undefined: it is not made yet. */
  detector_id?: string;
}

export function DetectorPage(props: DetectorPageProps) {
  const [turn, setTurn] = useState(0);
  return <Opened key={turn} {...props} onStale={() => setTurn(turn + 1)} />;
}

function Opened({ detector_id, onStale }: DetectorPageProps & { onStale: () => void }) {
  const { may } = useSession();
  const loaded = useLoad(detector_id ?? "", async (read) => {
    const [catalog, detector] = await Promise.all([
      read(detectors.catalog, { params: {} }),
      detector_id ? read(detectors.get, { params: { detector_id } }) : undefined,
    ]);
    return { catalog: catalog.items, detector };
  });
  const stored = loaded.state === "ready" ? loaded.value.detector : undefined;
  return (
    <Page
      title={detector_id ? (stored?.name ?? "Detector") : "New detector"}
      about={
        stored && "A change is in force at once, in every policy that uses it, unless it is pinned."
      }
      actions={stored && may("write") && <Remove detector={stored} />}
    >
      <Ready of={loaded} what="The detector">
        {(value) => <DetectorForm {...value} onStale={onStale} />}
      </Ready>
    </Page>
  );
}

function Remove({ detector }: { detector: DetectorResource }) {
  const { confirm, announce } = useSession();
  const { id: detector_id, name, version } = detector;
  const question = () =>
    confirm({
      title: `Delete ${name}?`,
      body: <p>Only a detector that no policy uses can be deleted. This cannot be undone.</p>,
      button: "Delete detector",
      run: async () => {
        await call(detectors.remove, { params: { detector_id }, version });
        navigate("/detectors");
        announce(`Detector ${name} was deleted.`);
      },
    });
  return (
    <button type="button" className="button danger" onClick={question}>
      Delete…
    </button>
  );
}
