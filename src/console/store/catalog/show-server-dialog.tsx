/** Shows an imported server, after an administrator selects its authentication, which its file lacks. */
import { useState } from "react";
import type { CatalogAuth, CatalogEntry } from "../../../contract/store/catalog.ts";
import { call } from "../../api.ts";
import { storeCatalog } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Fact } from "../../ui/event-sheet.tsx";
import { SelectField, TextField } from "../../ui/fields/field.tsx";
import { findProblem } from "../../ui/find-problem.ts";
import { Form } from "../../ui/form.tsx";
import { useAction } from "../../use-action.ts";

interface AuthOption {
  text: string;
  auth: CatalogAuth;
}

const key = { type: "key", header: "Authorization", scheme: "Bearer" } as const;
const oauth = {
  type: "oauth",
  grant_type: "authorization_code",
  authorize_url: null,
  token_url: null,
  resource: null,
} as const;

const AUTH_OPTIONS: Record<string, AuthOption> = {
  none: { text: "None", auth: { type: "none" } },
  own_key: { text: "API key of each person", auth: { ...key, scope: "principal" } },
  shared_key: { text: "Shared API key, set by an administrator", auth: { ...key, scope: "admin" } },
  account: {
    text: "OAuth account of each person",
    auth: { ...oauth, scopes: [], registration: "auto" },
  },
  registered: {
    text: "OAuth account of each person, with a client that you register",
    auth: { ...oauth, scopes: [], registration: "manual" },
  },
};

interface ShowServerDialogProps {
  gateway_id: string;
  entry: CatalogEntry;
  onClose: () => void;
}

export function ShowServerDialog({ gateway_id, entry, onClose }: ShowServerDialogProps) {
  const { announce } = useSession();
  const { code, name, url, description } = entry;
  const [selected, setSelected] = useState("");
  const [header, setHeader] = useState<string>(key.header);
  const [scheme, setScheme] = useState<string>(key.scheme);
  const auth = AUTH_OPTIONS[selected]?.auth;
  const save = useAction(async () => {
    const completeAuth = auth?.type === "key" ? { ...auth, header, scheme } : auth;
    await call(storeCatalog.update, {
      params: { gateway_id, code },
      body: { status: "shown", auth: completeAuth },
    });
    onClose();
    announce(`${name} is now shown.`);
  });
  return (
    <Dialog title={`Show ${name}`} onClose={onClose}>
      <dl className="facts above">
        <Fact name="Address" value={<code>{url}</code>} />
        <Fact name="Description" value={description} />
      </dl>
      <Form action={save} save="Show server" onCancel={onClose}>
        <SelectField
          label="Authentication"
          required
          value={selected}
          options={[
            ["", "Select…"],
            ...Object.entries(AUTH_OPTIONS).map(([value, { text }]) => [value, text] as const),
          ]}
          onChange={setSelected}
          hint="Not specified in its file. See the vendor's documentation."
          problem={findProblem(save.error, "auth")}
        />
        {auth?.type === "key" && (
          <div className="columns">
            <TextField
              label="Header"
              required
              value={header}
              onChange={setHeader}
              problem={findProblem(save.error, "auth.header")}
            />
            <TextField
              label="Prefix of the key (optional)"
              value={scheme}
              onChange={setScheme}
              problem={findProblem(save.error, "auth.scheme")}
            />
          </div>
        )}
      </Form>
    </Dialog>
  );
}
