/** Console → a policy: its gates and rules, what they say about a sample, who uses it, its versions. */
import { useState } from "react";
import type { Policy } from "../../contract/policies.ts";
import { call } from "../api.ts";
import { detectors, policies } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { Page, Ready } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { NewPolicyForm } from "./new-policy-form.tsx";
import { PolicyEditor } from "./policy-editor.tsx";

export function PolicyPage({ policy_id }: { policy_id?: string }) {
  const [turn, setTurn] = useState(0);
  return policy_id ? (
    <Stored key={turn} policy_id={policy_id} onStale={() => setTurn(turn + 1)} />
  ) : (
    <Page title="New policy">
      <NewPolicyForm />
    </Page>
  );
}

interface StoredProps {
  policy_id: string;
  /** Reads all of it again, and forgets what was typed. */
  onStale: () => void;
}

function Stored({ policy_id, onStale }: StoredProps) {
  const { may } = useSession();
  const loaded = useLoad(policy_id, async (read) => {
    const [policy, found, catalog] = await Promise.all([
      read(policies.get, { params: { policy_id } }),
      readAllPages((query) =>
        read(detectors.list, { params: {}, query: { ...query, sort: "name" } }),
      ),
      read(detectors.catalog, { params: {} }),
    ]);
    return { policy, detectors: found, catalog: catalog.items };
  });
  const stored = loaded.state === "ready" ? loaded.value.policy : undefined;
  return (
    <Page
      title={stored?.name ?? "Policy"}
      about={stored && `Policy, version ${stored.version}.`}
      actions={stored && may("write") && <Remove policy={stored} />}
    >
      <Ready of={loaded} what="The policy">
        {(value) => <PolicyEditor {...value} onStale={onStale} />}
      </Ready>
    </Page>
  );
}

function Remove({ policy }: { policy: Policy }) {
  const { confirm, announce } = useSession();
  const { id: policy_id, name, version } = policy;
  const question = () =>
    confirm({
      title: `Delete ${name}?`,
      body: (
        <p>
          The policy and all its versions go. Only one that judges for no collector can be deleted.
          This cannot be undone.
        </p>
      ),
      button: "Delete policy",
      run: async () => {
        await call(policies.remove, { params: { policy_id }, version });
        navigate("/policies");
        announce(`Policy ${name} was deleted.`);
      },
    });
  return (
    <button type="button" className="button danger" onClick={question}>
      Delete…
    </button>
  );
}
