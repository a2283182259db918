/** Console → a detector: its kind and settings. */
import type { ReactNode } from "react";
import type { DetectorUse } from "../../contract/guard/detectors.ts";
import { call } from "../api.ts";
import { detectors } from "../endpoints.ts";
import { Link } from "../router.tsx";
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
        const params = detector_id && { detector_id };
        const [catalog, stored, uses] = await Promise.all([
          read(detectors.catalog, { params: {} }),
          params ? read(detectors.get, { params }) : undefined,
          params ? read(detectors.uses, { params }) : undefined,
        ]);
        return { catalog: catalog.items, stored, uses: uses?.items ?? [] };
      }}
      about={() => "Changes apply at once to every policy that uses it, except pinned versions."}
      actions={({ id, name, version }, { uses }) => (
        <DeleteButton
          noun="detector"
          name={name}
          listPath="/detectors"
          inUse={describeUses(uses)}
          remove={() => call(detectors.remove, { params: { detector_id: id }, version })}
        >
          <p>No policy uses the detector. This cannot be undone.</p>
        </DeleteButton>
      )}
    >
      {({ catalog, stored }) => <DetectorForm catalog={catalog} detector={stored} />}
    </ResourcePage>
  );
}

/** Names the policies that use the detector. Undefined: none. */
function describeUses(uses: readonly DetectorUse[]): ReactNode {
  if (uses.length === 0) return undefined;
  return (
    <>
      <p>
        These policies use the detector. Delete their rules with it first. If a collector pins an
        older version, select another version there.
      </p>
      <ul>
        {uses.map(({ policy_id, policy_name, version, is_latest }) => (
          <li key={`${policy_id} ${version}`}>
            <Link to={`/policies/${policy_id}`}>{policy_name}</Link>
            {is_latest ? ", latest version" : `, pinned version ${version}`}
          </li>
        ))}
      </ul>
    </>
  );
}
