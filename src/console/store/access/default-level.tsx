/** Access level that applies when no rule matches, saved after a confirmation. */
import { useState } from "react";
import type { AccessLevel } from "../../../contract/store/access.ts";
import { call } from "../../api.ts";
import { gateways } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { SelectField } from "../../ui/fields/field.tsx";
import { Section } from "../../ui/form.tsx";
import { Ready } from "../../ui/page.tsx";
import { useLoad } from "../../use-load.ts";
import { LEVEL_OPTIONS } from "./describe-access.tsx";

const EFFECTS: Record<AccessLevel, string> = {
  install: "Everyone can install every server that no rule mentions, without approval.",
  request: "Everyone can request every server that no rule mentions; an approver decides.",
  none: "Servers that no rule allows cannot be used. Their installs are suspended.",
};

export function DefaultLevel({ gateway_id }: { gateway_id: string }) {
  const { may, confirm, announce } = useSession();
  const params = { gateway_id };
  const loaded = useLoad(gateway_id, (read) => read(gateways.get, { params }));
  const [draft, setDraft] = useState<AccessLevel>();
  return (
    <Section title="Default level">
      <Ready of={loaded} what="The gateway">
        {({ store, version }) => {
          const level = draft ?? store.default_level;
          const save = () =>
            confirm({
              title: `Change the default level to ${level}?`,
              body: <p>{EFFECTS[level]} The change applies to everyone at once.</p>,
              button: "Change default level",
              run: async () => {
                const body = { store: { ...store, default_level: level } };
                await call(gateways.update, { params, body, version });
                setDraft(undefined);
                announce("Saved.");
              },
            });
          return (
            <>
              <SelectField
                label="Level if no rule matches"
                hint={EFFECTS[level]}
                value={level}
                options={LEVEL_OPTIONS}
                disabled={!may("write")}
                // The options are the levels.
                onChange={(value) => setDraft(value as AccessLevel)}
              />
              {may("write") && (
                <div className="form-end">
                  <button
                    type="button"
                    className="button primary"
                    disabled={level === store.default_level}
                    onClick={save}
                  >
                    Save…
                  </button>
                </div>
              )}
            </>
          );
        }}
      </Ready>
    </Section>
  );
}
