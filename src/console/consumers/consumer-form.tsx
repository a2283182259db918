/** Form of a consumer: address, registries in order, balancing, failover and guard. */
import type { AttachedRegistry, Consumer } from "../../contract/gateway/consumers.ts";
import type { Registry } from "../../contract/gateway/registries.ts";
import { call } from "../api.ts";
import { consumers } from "../endpoints.ts";
import {
  type ConsumerGuardDraft,
  ConsumerGuardFields,
  toConsumerGuard,
  toConsumerGuardDraft,
} from "../guard/consumer-guard.tsx";
import type { GuardSources } from "../guard/guard-sources.ts";
import { useSession } from "../session.ts";
import { CheckField, SelectField, TextField } from "../ui/fields/field.tsx";
import { IdentityFields } from "../ui/fields/identity-fields.tsx";
import { findProblemsBelow, numberEntries } from "../ui/find-problem.ts";
import { Section } from "../ui/form.tsx";
import { splitNames } from "../ui/text.ts";
import { ResourceForm, useResourceForm } from "../ui/use-resource-form.tsx";
import { AttachedRegistries } from "./attached-registries.tsx";

interface ConsumerFormProps {
  gateway_id: string;
  /** Undefined: a new consumer. */
  consumer: Consumer | undefined;
  upstreams: readonly Registry[];
  sources: GuardSources;
}

type Algorithm = Consumer["balancing"]["algorithm"];
const ALGORITHMS: Record<Algorithm, string> = {
  round_robin: "Round robin: in turn, by weight",
  least_in_flight: "Least in flight: fewest open requests for its weight",
  latency: "Latency: the faster of two random registries",
  sticky: "Sticky: the same user stays on the same registry",
};

interface ConsumerDraft {
  name: string;
  slug: string;
  active: boolean;
  attached: readonly AttachedRegistry[];
  algorithm: string;
  failover: boolean;
  max_attempts: string;
  max_total_ms: string;
  resend_billable: boolean;
  files_scope: string;
  fallbacks: string;
  origins: string;
  guard: ConsumerGuardDraft;
}

export function ConsumerForm({ gateway_id, consumer, upstreams, sources }: ConsumerFormProps) {
  const { gateways } = useSession();
  const gateway = gateways.find(({ id }) => id === gateway_id);
  const form = useResourceForm({
    noun: "consumer",
    loaded: consumer,
    toDraft,
    save: (draft, stored) => {
      const body = toInput(draft);
      if (!stored) return call(consumers.create, { params: { gateway_id }, body });
      const params = { gateway_id, consumer_id: stored.id };
      return call(consumers.update, { params, body, version: stored.version });
    },
    listPath: `/gateways/${gateway_id}/consumers`,
    createdPath: ({ id }) => `/gateways/${gateway_id}/consumers/${id}?tab=keys`,
    nextStep: "It needs a key next.",
  });
  const { draft, change, problem } = form;
  return (
    <ResourceForm form={form}>
      <Section title="Identity">
        <IdentityFields
          form={form}
          slugHint="First part of its URL path. Unique in the installation."
        />
        <CheckField
          label="Active"
          hint="An inactive consumer returns 404."
          checked={draft.active}
          onChange={(active) => change({ active })}
        />
      </Section>
      <Section
        title="Registries"
        about="In order of preference. Requests go only to registries that support them."
      >
        <AttachedRegistries
          upstreams={upstreams}
          attached={draft.attached}
          onChange={(attached) => change({ attached })}
          error={form.error}
        />
      </Section>
      <Section title="Routing">
        <SelectField
          label="Balancing"
          value={draft.algorithm}
          options={Object.entries(ALGORITHMS)}
          onChange={(algorithm) => change({ algorithm })}
        />
        <CheckField
          label="Fail over to the next registry"
          hint="When a registry is unreachable, overloaded or fails before its first byte."
          checked={draft.failover}
          onChange={(failover) => change({ failover })}
        />
        <div className="columns">
          <TextField
            label="Max attempts"
            type="number"
            min={1}
            max={10}
            required
            value={draft.max_attempts}
            onChange={(max_attempts) => change({ max_attempts })}
            problem={problem("failover.max_attempts")}
          />
          <TextField
            label="Stop retrying after (ms)"
            type="number"
            min={100}
            max={600_000}
            required
            value={draft.max_total_ms}
            onChange={(max_total_ms) => change({ max_total_ms })}
            problem={problem("failover.max_total_ms")}
          />
        </div>
        <CheckField
          label="Retry even if it may be billed twice"
          hint="Also when the upstream may have accepted the request already."
          checked={draft.resend_billable}
          onChange={(resend_billable) => change({ resend_billable })}
        />
        <TextField
          label="Fallback models (optional)"
          value={draft.fallbacks}
          onChange={(fallbacks) => change({ fallbacks })}
          problem={numberEntries(findProblemsBelow(form.error, "fallbacks"), "Model")}
          hint="Tried in this order when the requested model fails everywhere. Separated by commas."
        />
        <SelectField
          label="Files and other stored objects"
          value={draft.files_scope}
          options={[
            ["shared", "Shared: all of the upstream account"],
            ["own", "Own: only those created through this consumer"],
          ]}
          onChange={(files_scope) => change({ files_scope })}
        />
        <TextField
          label="Browser origins (optional)"
          value={draft.origins}
          onChange={(origins) => change({ origins })}
          problem={numberEntries(findProblemsBelow(form.error, "cors.origins"), "Origin")}
          hint="Origins of web pages that may call this consumer, such as https://app.example.com. Separated by commas."
        />
      </Section>
      {gateway && (
        <Section title="Guard" about="Evaluates requests, responses and MCP tool calls.">
          <ConsumerGuardFields
            gateway={gateway}
            draft={draft.guard}
            sources={sources}
            onChange={(guard) => change({ guard })}
            problem={problem}
          />
        </Section>
      )}
    </ResourceForm>
  );
}

function toDraft(consumer: Consumer | undefined): ConsumerDraft {
  const { balancing, failover } = consumer ?? {};
  return {
    name: consumer?.name ?? "",
    slug: consumer?.slug ?? "",
    active: consumer?.active ?? true,
    attached: consumer?.registries ?? [],
    algorithm: balancing?.algorithm ?? "round_robin",
    failover: failover?.enabled ?? true,
    max_attempts: String(failover?.max_attempts ?? 3),
    max_total_ms: String(failover?.max_total_ms ?? 60_000),
    resend_billable: failover?.resend_billable ?? false,
    files_scope: consumer?.files_scope ?? "shared",
    fallbacks: consumer?.fallbacks.join(", ") ?? "",
    origins: consumer?.cors.origins.join(", ") ?? "",
    guard: toConsumerGuardDraft(consumer?.guard ?? null),
  };
}

const toInput = (draft: ConsumerDraft) => ({
  name: draft.name,
  ...(draft.slug ? { slug: draft.slug } : {}),
  active: draft.active,
  registries: [...draft.attached],
  // The options of the select are the keys of ALGORITHMS.
  balancing: { algorithm: draft.algorithm as Algorithm },
  failover: {
    enabled: draft.failover,
    max_attempts: Number(draft.max_attempts),
    max_total_ms: Number(draft.max_total_ms),
    resend_billable: draft.resend_billable,
  },
  files_scope: draft.files_scope === "own" ? ("own" as const) : ("shared" as const),
  fallbacks: splitNames(draft.fallbacks),
  cors: { origins: splitNames(draft.origins) },
  guard: toConsumerGuard(draft.guard),
});
