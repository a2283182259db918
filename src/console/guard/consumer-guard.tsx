/** Guard of a consumer: the gateway's, none, or its own. */
import type { Gateway } from "../../contract/gateway/gateways.ts";
import type { ConsumerGuard } from "../../contract/guard/guard-settings.ts";
import { SelectField } from "../ui/fields/field.tsx";
import {
  type GuardDraft,
  GuardFields,
  PolicyOf,
  toGuardDraft,
  toGuardInput,
} from "./guard-fields.tsx";
import type { GuardSources } from "./guard-sources.ts";

type Kind = "inherit" | "off" | "own";

export interface ConsumerGuardDraft {
  kind: Kind;
  /** Undefined until a guard of its own is selected. */
  own: GuardDraft | undefined;
}

export function toConsumerGuardDraft(guard: ConsumerGuard): ConsumerGuardDraft {
  if (guard === null) return { kind: "inherit", own: undefined };
  if ("off" in guard) return { kind: "off", own: undefined };
  return { kind: "own", own: toGuardDraft(guard) };
}

export function toConsumerGuard({ kind, own }: ConsumerGuardDraft): ConsumerGuard {
  if (kind === "off") return { off: true };
  return kind === "own" && own ? toGuardInput(own) : null;
}

const KINDS: Record<Kind, string> = {
  inherit: "Inherit: the gateway's guard",
  off: "Off: nothing is evaluated",
  own: "Own: a guard for this consumer",
};

interface ConsumerGuardFieldsProps {
  gateway: Gateway;
  draft: ConsumerGuardDraft;
  sources: GuardSources;
  onChange: (draft: ConsumerGuardDraft) => void;
  problem: (field: string) => string | undefined;
}

export function ConsumerGuardFields(props: ConsumerGuardFieldsProps) {
  const { gateway, draft, sources, onChange, problem } = props;
  const { kind, own } = draft;
  return (
    <>
      <SelectField
        label="Guard"
        value={kind}
        options={Object.entries(KINDS)}
        hint={kind === "inherit" && <Inherited gateway={gateway} sources={sources} />}
        onChange={(next) =>
          // The options are the keys of KINDS. An own guard starts as a copy of the gateway's.
          onChange({ kind: next as Kind, own: own ?? toGuardDraft(gateway.guard) })
        }
        problem={problem("guard")}
      />
      {kind === "own" && own && (
        <GuardFields
          gateway_id={gateway.id}
          guard={own}
          sources={sources}
          onChange={(guard) => onChange({ kind, own: guard })}
          problem={problem}
        />
      )}
    </>
  );
}

function Inherited({ gateway, sources }: Pick<ConsumerGuardFieldsProps, "gateway" | "sources">) {
  const { collector_id } = gateway.guard;
  if (collector_id === null) return <>The gateway has no guard: nothing is evaluated.</>;
  const collector = sources.collectors.find(({ id }) => id === collector_id);
  return (
    <>
      Collector {collector?.name ?? collector_id}.{" "}
      <PolicyOf collector_id={collector_id} sources={sources} />
    </>
  );
}
