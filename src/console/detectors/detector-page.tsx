/** Console → a detector: its kind and settings. */
import { call } from "../api.ts";
import { detectors } from "../endpoints.ts";
import { DeleteButton, ResourcePage } from "../ui/resource-page.tsx";
import { DetectorForm } from "./detector-form.tsx";

interface DetectorPageProps {
  /** Undefined: a new detector. */
  detector_id?: string;
}

export function DetectorPage({ detector_id }: DetectorPageProps) {
  return (
    <ResourcePage
      noun="detector"
      id={detector_id}
      load={async (read) => {
        const [catalog, stored] = await Promise.all([
          read(detectors.catalog, { params: {} }),
          detector_id ? read(detectors.get, { params: { detector_id } }) : undefined,
        ]);
        return { catalog: catalog.items, stored };
      }}
      about={() => "Changes apply at once to every policy that uses it, except pinned versions."}
      actions={({ id, name, version }) => (
        <DeleteButton
          noun="detector"
          name={name}
          listPath="/detectors"
          remove={() => call(detectors.remove, { params: { detector_id: id }, version })}
        >
          <p>Only a detector that no policy uses can be deleted. This cannot be undone.</p>
        </DeleteButton>
      )}
    >
      {({ catalog, stored }) => <DetectorForm catalog={catalog} detector={stored} />}
    </ResourcePage>
  );
}
