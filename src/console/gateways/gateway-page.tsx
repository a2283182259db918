/** Console → a gateway: its name, slug, labels, plugins and rate limits; new ones are made here too. */
import { type ReactNode, useState } from "react";
import type { Gateway } from "../../contract/gateways.ts";
import { call } from "../api.ts";
import { consumers, gateways, registries } from "../endpoints.ts";
import { LimitBlocks } from "../rate-limits/limit-blocks.tsx";
import { LimitUsage } from "../rate-limits/limit-usage.tsx";
import { RateLimitsForm } from "../rate-limits/rate-limits-form.tsx";
import { navigate } from "../router.tsx";
import { useSession } from "../session.ts";
import { TextField } from "../ui/field.tsx";
import { Form, findProblem, Section } from "../ui/form.tsx";
import { Page, Ready } from "../ui/page.tsx";
import { PairsField, toPairs, toRecord } from "../ui/pairs-field.tsx";
import { RefreshButton } from "../ui/refresh-button.tsx";
import { Tabs, useTab } from "../ui/tabs.tsx";
import { useAction, useLoad } from "../use-load.ts";
import { RequiredPlugins } from "./required-plugins.tsx";

const TABS = [
  ["", "Settings"],
  ["limits", "Rate limits"],
  ["usage", "Limit usage"],
  ["blocks", "Blocks"],
] as const;
type Tab = (typeof TABS)[number][0];

/** What these show changes by itself. */
const LIVE: readonly Tab[] = ["usage", "blocks"];

export function GatewayPage({ gateway_id }: { gateway_id?: string }) {
  const [turn, setTurn] = useState(0);
  return gateway_id ? (
    <Stored key={turn} gateway_id={gateway_id} onStale={() => setTurn(turn + 1)} />
  ) : (
    <Page title="New gateway">
      <Settings />
    </Page>
  );
}

interface StoredProps {
  gateway_id: string;
  onStale: () => void;
}

function Stored({ gateway_id, onStale }: StoredProps) {
  const gateway = useLoad(gateway_id, (read) => read(gateways.get, { params: { gateway_id } }));
  const { may } = useSession();
  const tab = useTab(TABS);
  return (
    <Page
      title={gateway.state === "ready" ? gateway.value.name : "Gateway"}
      about="Settings of the gateway, and what its limits do."
      actions={
        <>
          {LIVE.includes(tab) && <RefreshButton />}
          {gateway.state === "ready" && may("write") && <Remove gateway={gateway.value} />}
        </>
      }
    >
      <Tabs label="Gateway" tabs={TABS} />
      <Ready of={gateway} what="The gateway">
        {(value) => SHOWN[tab]({ gateway: value, onStale })}
      </Ready>
    </Page>
  );
}

const SHOWN: Record<Tab, (props: ShownProps) => ReactNode> = {
  "": (props) => (
    <>
      <Settings {...props} />
      <RequiredPlugins gateway={props.gateway} />
    </>
  ),
  limits: (props) => <RateLimitsForm {...props} />,
  usage: ({ gateway }) => <LimitUsage gateway={gateway} />,
  blocks: ({ gateway }) => <LimitBlocks gateway={gateway} />,
};

interface ShownProps {
  gateway: Gateway;
  onStale: () => void;
}

interface SettingsProps {
  /** Undefined: it is not made yet. */
  gateway?: Gateway;
  onStale?: () => void;
}

function Settings({ gateway, onStale }: SettingsProps) {
  const { may, announce } = useSession();
  // As it was when the form was filled: this is the version that a save changes.
  const [opened, setOpened] = useState(gateway);
  const [name, setName] = useState(opened?.name ?? "");
  const [slug, setSlug] = useState(opened?.slug ?? "");
  const [labels, setLabels] = useState(toPairs(opened?.metadata));
  const save = useAction(async () => {
    const body = { name, ...(slug ? { slug } : {}), metadata: toRecord(labels) };
    if (!opened) {
      const made = await call(gateways.create, { params: {}, body });
      navigate(`/gateways/${made.id}/registries`);
      announce(`Gateway ${made.name} was created.`);
      return;
    }
    const params = { gateway_id: opened.id };
    setOpened(await call(gateways.update, { params, body, version: opened.version }));
    announce("Saved.");
  });
  return (
    <Form
      action={save}
      save={opened ? "Save" : "Create gateway"}
      locked={!may("write")}
      {...(onStale ? { onStale } : {})}
      {...(opened ? {} : { onCancel: () => navigate("/gateways") })}
    >
      <Section title="Identity">
        <TextField
          label="Name"
          required
          value={name}
          onChange={setName}
          problem={findProblem(save.error, "name")}
        />
        <TextField
          label={opened ? "Slug" : "Slug (optional)"}
          value={slug}
          onChange={setSlug}
          problem={findProblem(save.error, "slug")}
          hint="What clients may send as X-AG-Gateway-Slug. Lower-case letters, digits and dashes; generated when left empty."
        />
        <PairsField
          label="Labels"
          hint="Your own words about it; the gateway does not read them."
          one="label"
          pairs={labels}
          onChange={setLabels}
        />
      </Section>
    </Form>
  );
}

function Remove({ gateway }: { gateway: Gateway }) {
  const { confirm, announce } = useSession();
  const question = () =>
    confirm({
      title: `Delete ${gateway.name}?`,
      body: <WhatGoes gateway_id={gateway.id} />,
      button: "Delete gateway",
      mustType: gateway.slug,
      run: async () => {
        const params = { gateway_id: gateway.id };
        await call(gateways.remove, { params, version: gateway.version });
        navigate("/gateways");
        announce(`Gateway ${gateway.name} was deleted.`);
      },
    });
  return (
    <button type="button" className="button danger" onClick={question}>
      Delete…
    </button>
  );
}

function WhatGoes({ gateway_id }: { gateway_id: string }) {
  const loaded = useLoad(gateway_id, (read) => {
    const asked = { params: { gateway_id }, query: { limit: 200 } };
    return Promise.all([read(registries.list, asked), read(consumers.list, asked)]);
  });
  return (
    <Ready of={loaded} what="What goes with it">
      {([upstreams, clients]) => (
        <p>
          With the gateway go {counted(upstreams, "registry", "registries")} and{" "}
          {counted(clients, "consumer", "consumers")} with all their keys. Applications that use
          them get 404 at once. Its past requests and the audit log stay. This cannot be undone.
        </p>
      )}
    </Ready>
  );
}

function counted(
  { items, next_cursor }: { items: unknown[]; next_cursor: string | null },
  one: string,
  many: string,
): string {
  const count = `${items.length}${next_cursor ? " or more" : ""}`;
  return `${count} ${items.length === 1 ? one : many}`;
}
