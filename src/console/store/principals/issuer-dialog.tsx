/** Dialog of an identity provider: its tokens, their audience, and the claims that identify a person. */
import type { Issuer, IssuerInput } from "../../../contract/store/principals.ts";
import { call, ROOT_URL } from "../../api.ts";
import { issuers } from "../../endpoints.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, TextField } from "../../ui/fields/field.tsx";
import { PrivateAddressField } from "../../ui/fields/private-address-field.tsx";
import { ResourceForm, useResourceForm } from "../../ui/use-resource-form.tsx";

interface IssuerDialogProps {
  gateway_id: string;
  /** Undefined: a new issuer. */
  issuer: Issuer | undefined;
  onClose: () => void;
}

type TextKey = "name" | "issuer" | "audience" | "jwks_url" | "subject_claim" | "groups_claim";

export function IssuerDialog({ gateway_id, issuer, onClose }: IssuerDialogProps) {
  const form = useResourceForm({
    noun: "issuer",
    loaded: issuer,
    toDraft: toInput,
    save: (body, stored) => {
      if (!stored) return call(issuers.create, { params: { gateway_id }, body });
      const params = { gateway_id, issuer_id: stored.id };
      return call(issuers.update, { params, body, version: stored.version });
    },
    onClose,
  });
  const { draft, change } = form;
  const text = (key: TextKey) => ({
    required: true,
    value: draft[key],
    onChange: (value: string) => change({ [key]: value }),
    problem: form.problem(key),
  });
  return (
    <Dialog title={issuer?.name ?? "New issuer"} onClose={onClose}>
      <ResourceForm form={form}>
        <TextField label="Name" {...text("name")} />
        <TextField
          label="Issuer"
          hint="The iss claim of its tokens, such as https://login.example.com."
          {...text("issuer")}
        />
        <TextField
          label="Audience"
          hint="The aud claim of its tokens. Issuer and audience together select the gateway."
          {...text("audience")}
        />
        <TextField
          label="JWKS URL"
          hint="Such as https://login.example.com/.well-known/jwks.json."
          type="url"
          {...text("jwks_url")}
        />
        <div className="columns">
          <TextField label="Subject claim" {...text("subject_claim")} />
          <TextField
            label="Groups claim"
            hint="Name of a claim, or a path with dots."
            {...text("groups_claim")}
          />
        </div>
        <CheckField
          label="Enabled"
          hint="Tokens of a disabled issuer are rejected."
          checked={draft.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        <PrivateAddressField
          checked={draft.allow_private}
          onChange={(allow_private) => change({ allow_private })}
        />
      </ResourceForm>
    </Dialog>
  );
}

function toInput(issuer: Issuer | undefined): IssuerInput {
  return {
    name: issuer?.name ?? "",
    issuer: issuer?.issuer ?? "",
    // The resource that MCP clients request a token for (RFC 8707).
    audience: issuer?.audience ?? new URL("me/mcp", ROOT_URL).href,
    jwks_url: issuer?.jwks_url ?? "",
    subject_claim: issuer?.subject_claim ?? "sub",
    groups_claim: issuer?.groups_claim ?? "groups",
    enabled: issuer?.enabled ?? true,
    allow_private: issuer?.allow_private ?? false,
  };
}
