/** An identity provider: whose tokens, for whom, and which of their members say who somebody is. */
import { useState } from "react";
import type { Issuer, IssuerInput } from "../../../contract/store-principals.ts";
import { call, events, ROOT_URL } from "../../api.ts";
import { issuers } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, TextField } from "../../ui/field.tsx";
import { Form, findProblem } from "../../ui/form.tsx";
import { PrivateAddressField } from "../../ui/private-address-field.tsx";
import { useAction } from "../../use-load.ts";

interface IssuerDialogProps {
  gateway_id: string;
  /** Undefined: it is not made yet. */
  issuer: Issuer | undefined;
  onClose: () => void;
}

type TextMember = "name" | "issuer" | "audience" | "jwks_url" | "subject_claim" | "groups_claim";

export function IssuerDialog({ gateway_id, issuer: stored, onClose }: IssuerDialogProps) {
  const { may, announce } = useSession();
  const [typed, setTyped] = useState(() => inputOf(stored));
  const change = (changes: Partial<IssuerInput>) => setTyped({ ...typed, ...changes });
  const save = useAction(async () => {
    if (stored) {
      const params = { gateway_id, issuer_id: stored.id };
      await call(issuers.update, { params, body: typed, version: stored.version });
    } else {
      await call(issuers.create, { params: { gateway_id }, body: typed });
    }
    onClose();
    announce(stored ? "Saved." : `Issuer ${typed.name} was created.`);
  });
  const text = (member: TextMember) => ({
    required: true,
    value: typed[member],
    onChange: (value: string) => change({ [member]: value }),
    problem: findProblem(save.error, member),
  });
  return (
    <Dialog title={stored?.name ?? "New issuer"} onClose={onClose}>
      <Form
        action={save}
        save={stored ? "Save" : "Create issuer"}
        locked={!may("write")}
        onCancel={onClose}
        onStale={() => {
          onClose();
          events.dispatchEvent(new Event("changed"));
        }}
      >
        <TextField label="Name" {...text("name")} />
        <TextField
          label="Issuer"
          hint="Exactly what its tokens say in iss, such as https://login.example.com."
          {...text("issuer")}
        />
        <TextField
          label="Audience"
          hint="What its tokens must hold in aud. With the issuer, it tells which gateway is meant."
          {...text("audience")}
        />
        <TextField
          label="Address of its keys"
          hint="Such as https://login.example.com/.well-known/jwks.json."
          type="url"
          {...text("jwks_url")}
        />
        <div className="columns">
          <TextField label="Member with the subject" {...text("subject_claim")} />
          <TextField
            label="Member with the groups"
            hint="A name, or a path with dots."
            {...text("groups_claim")}
          />
        </div>
        <CheckField
          label="Enabled"
          hint="Tokens of a disabled issuer let nobody in."
          checked={typed.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        <PrivateAddressField
          label="Its keys may be at a private address"
          checked={typed.allow_private}
          onChange={(allow_private) => change({ allow_private })}
        />
      </Form>
    </Dialog>
  );
}

function inputOf(issuer: Issuer | undefined): IssuerInput {
  return {
    name: issuer?.name ?? "",
    issuer: issuer?.issuer ?? "",
    // What MCP clients ask a token for (RFC 8707).
    audience: issuer?.audience ?? new URL("me/mcp", ROOT_URL).href,
    jwks_url: issuer?.jwks_url ?? "",
    subject_claim: issuer?.subject_claim ?? "sub",
    groups_claim: issuer?.groups_claim ?? "groups",
    enabled: issuer?.enabled ?? true,
    allow_private: issuer?.allow_private ?? false,
  };
}
