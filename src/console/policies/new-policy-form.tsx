/** The first step of a policy: its name and mode. Rules follow where they can be tried. */
import { useState } from "react";
import type { Mode } from "../../contract/policies.ts";
import { call } from "../api.ts";
import { policies } from "../endpoints.ts";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { Form, Section } from "../ui/form.tsx";
import { useAction } from "../use-load.ts";
import { PolicyIdentityFields } from "./policy-identity-fields.tsx";

export function NewPolicyForm() {
  const { may, announce } = useSession();
  const [typed, setTyped] = useState<{ name: string; mode: Mode }>({ name: "", mode: "enforce" });
  const save = useAction(async () => {
    const made = await call(policies.create, { params: {}, body: typed });
    navigate(`/policies/${made.id}?tab=input`);
    announce(`Policy ${made.name} was created. It needs rules next.`);
  });
  return (
    <Form
      action={save}
      save="Create policy"
      locked={!may("write")}
      onCancel={() => navigate("/policies")}
    >
      <Section title="Identity">
        <PolicyIdentityFields {...typed} onChange={setTyped} error={save.error} />
      </Section>
    </Form>
  );
}
