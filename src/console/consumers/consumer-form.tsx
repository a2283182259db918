/** The form of a consumer: address, registries in order, balancing and failover. */
import { useState } from "react";
import type { AttachedRegistry, Consumer } from "../../contract/consumers.ts";
import type { Registry } from "../../contract/registries.ts";
import { call } from "../api.ts";
import { consumers } from "../endpoints.ts";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { Form, findProblem, findProblemsBelow, Section } from "../ui/form.tsx";
import { splitNames } from "../ui/split-names.ts";
import { useAction } from "../use-load.ts";
import { AttachedRegistries } from "./attached-registries.tsx";

interface ConsumerFormProps {
  gateway_id: string;
  /** Undefined: it is not made yet. */
  consumer: Consumer | undefined;
  upstreams: readonly Registry[];
  onStale: () => void;
}

type Algorithm = Consumer["balancing"]["algorithm"];
const ALGORITHMS: Record<Algorithm, string> = {
  round_robin: "Round robin: in turn, by weight",
  least_in_flight: "Least in flight: fewest open requests for its weight",
  latency: "Latency: the faster of two drawn",
  sticky: "Sticky: the same user stays on the same registry",
};

interface Typed {
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
  origins: string;
}

export function ConsumerForm({ gateway_id, consumer, upstreams, onStale }: ConsumerFormProps) {
  const { may, announce } = useSession();
  const [opened, setOpened] = useState(consumer);
  const [typed, setTyped] = useState(() => typedOf(consumer));
  const change = (changes: Partial<Typed>) => setTyped({ ...typed, ...changes });
  const save = useAction(async () => {
    const body = inputOf(typed);
    if (!opened) {
      const made = await call(consumers.create, { params: { gateway_id }, body });
      navigate(`/gateways/${gateway_id}/consumers/${made.id}?tab=keys`);
      announce(`Consumer ${made.name} was created. It needs a key next.`);
      return;
    }
    const params = { gateway_id, consumer_id: opened.id };
    setOpened(await call(consumers.update, { params, body, version: opened.version }));
    announce("Saved.");
  });
  const problem = (member: string) => findProblem(save.error, member);
  return (
    <Form
      action={save}
      save={opened ? "Save" : "Create consumer"}
      locked={!may("write")}
      onStale={onStale}
      {...(opened ? {} : { onCancel: () => navigate(`/gateways/${gateway_id}/consumers`) })}
    >
      <Section title="Identity">
        <TextField
          label="Name"
          required
          value={typed.name}
          onChange={(name) => change({ name })}
          problem={problem("name")}
        />
        <TextField
          label={opened ? "Slug" : "Slug (optional)"}
          value={typed.slug}
          onChange={(slug) => change({ slug })}
          problem={problem("slug")}
          hint="The first part of its address. Unique in the installation; generated when left empty."
        />
        <CheckField
          label="Active"
          hint="An inactive consumer answers 404."
          checked={typed.active}
          onChange={(active) => change({ active })}
        />
      </Section>
      <Section
        title="Registries"
        about="In order: the first wins where nothing else decides. Requests go to those that can answer them."
      >
        <AttachedRegistries
          upstreams={upstreams}
          attached={typed.attached}
          onChange={(attached) => change({ attached })}
        />
      </Section>
      <Section title="Routing">
        <SelectField
          label="Balancing"
          value={typed.algorithm}
          options={Object.entries(ALGORITHMS)}
          onChange={(algorithm) => change({ algorithm })}
        />
        <CheckField
          label="Fail over to the next registry"
          hint="When one cannot be reached, is overloaded or breaks before its first byte."
          checked={typed.failover}
          onChange={(failover) => change({ failover })}
        />
        <div className="columns">
          <TextField
            label="Most attempts"
            type="number"
            min={1}
            max={10}
            required
            value={typed.max_attempts}
            onChange={(max_attempts) => change({ max_attempts })}
            problem={problem("failover.max_attempts")}
          />
          <TextField
            label="No new attempt after (ms)"
            type="number"
            min={100}
            max={600_000}
            required
            value={typed.max_total_ms}
            onChange={(max_total_ms) => change({ max_total_ms })}
            problem={problem("failover.max_total_ms")}
          />
        </div>
        <CheckField
          label="Send again even if it may be billed twice"
          hint="Also when the upstream may already have taken the request."
          checked={typed.resend_billable}
          onChange={(resend_billable) => change({ resend_billable })}
        />
        <SelectField
          label="Files"
          value={typed.files_scope}
          options={[
            ["shared", "Shared: every file of the upstream account"],
            ["own", "Own: only files uploaded through this consumer"],
          ]}
          onChange={(files_scope) => change({ files_scope })}
        />
        <TextField
          label="Browser origins (optional)"
          value={typed.origins}
          onChange={(origins) => change({ origins })}
          problem={findProblemsBelow(save.error, "cors.origins")}
          hint="Pages that may call this consumer from a browser, such as https://app.example.com. Empty: none."
        />
      </Section>
    </Form>
  );
}

function typedOf(consumer: Consumer | undefined): Typed {
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
    origins: consumer?.cors.origins.join(", ") ?? "",
  };
}

const inputOf = (typed: Typed) => ({
  name: typed.name,
  ...(typed.slug ? { slug: typed.slug } : {}),
  active: typed.active,
  registries: [...typed.attached],
  // The options of the select are the keys of ALGORITHMS.
  balancing: { algorithm: typed.algorithm as Algorithm },
  failover: {
    enabled: typed.failover,
    max_attempts: Number(typed.max_attempts),
    max_total_ms: Number(typed.max_total_ms),
    resend_billable: typed.resend_billable,
  },
  files_scope: typed.files_scope === "own" ? ("own" as const) : ("shared" as const),
  cors: { origins: splitNames(typed.origins) },
});
