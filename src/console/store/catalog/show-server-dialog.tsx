/** Shows an imported server to people; its file did not say what it asks of them, so somebody does here. */
import { useState } from "react";
import type { CatalogAuth, CatalogEntry } from "../../../contract/store-catalog.ts";
import { call } from "../../api.ts";
import { storeCatalog } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Fact } from "../../ui/event-sheet.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Form, findProblem } from "../../ui/form.tsx";
import { useAction } from "../../use-load.ts";

interface Way {
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

const WAYS: Record<string, Way> = {
  none: { text: "Nothing", auth: { type: "none" } },
  own_key: { text: "A key of each person", auth: { ...key, scope: "principal" } },
  shared_key: { text: "One key, that you give", auth: { ...key, scope: "admin" } },
  account: {
    text: "An account of each person (OAuth)",
    auth: { ...oauth, scopes: [], registration: "auto" },
  },
  registered: {
    text: "The same, with a client that you register there",
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
  const [way, setWay] = useState("");
  const [header, setHeader] = useState<string>(key.header);
  const [scheme, setScheme] = useState<string>(key.scheme);
  const auth = WAYS[way]?.auth;
  const save = useAction(async () => {
    const asked = auth?.type === "key" ? { ...auth, header, scheme } : auth;
    await call(storeCatalog.update, {
      params: { gateway_id, code },
      body: { status: "shown", auth: asked },
    });
    onClose();
    announce(`${name} is shown now.`);
  });
  return (
    <Dialog title={`Show ${name}`} onClose={onClose}>
      <dl className="facts above">
        <Fact name="Address" value={<code>{url}</code>} />
        <Fact name="It says" value={description} />
      </dl>
      <Form action={save} save="Show server" onCancel={onClose}>
        <SelectField
          label="What does it ask of its callers?"
          required
          value={way}
          options={[
            ["", "Choose…"],
            ...Object.entries(WAYS).map(([value, { text }]) => [value, text] as const),
          ]}
          onChange={setWay}
          hint="Its file does not say: look at the vendor's documentation."
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
              label="Word before the key (optional)"
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
