/** Access level that applies when no rule matches. */
import type { AccessLevel } from "../../../contract/store/access.ts";
import { call } from "../../api.ts";
import { gateways } from "../../endpoints.ts";
import { useSession } from "../../session.ts";
import { SelectField } from "../../ui/field.tsx";
import { Section } from "../../ui/form.tsx";
import { Failure, Ready } from "../../ui/page.tsx";
import { useAction } from "../../use-action.ts";
import { useLoad } from "../../use-load.ts";
import { LEVEL_OPTIONS } from "./describe-access.tsx";

export function DefaultLevel({ gateway_id }: { gateway_id: string }) {
  const { may, announce } = useSession();
  const params = { gateway_id };
  const loaded = useLoad(gateway_id, (read) => read(gateways.get, { params }));
  const change = useAction(async (default_level: AccessLevel) => {
    if (loaded.state !== "ready") return;
    const { store, version } = loaded.value;
    await call(gateways.update, { params, body: { store: { ...store, default_level } }, version });
    announce("Saved.");
  });
  return (
    <Section title="Default level">
      <Ready of={loaded} what="The gateway">
        {({ store }) => (
          <SelectField
            label="Level if no rule matches"
            value={store.default_level}
            options={LEVEL_OPTIONS}
            disabled={!may("write") || change.busy}
            // The options are the levels.
            onChange={(level) => void change.run(level as AccessLevel)}
          />
        )}
      </Ready>
      <Failure title="Not saved." error={change.error} onRetry={loaded.reload} />
    </Section>
  );
}
