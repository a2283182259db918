/** Plugins that run on every request of a gateway. */
import type { Gateway, PluginEntry } from "../../contract/gateway/gateways.ts";
import { RATE_LIMITER } from "../rate-limits/describe-limits.ts";
import { Link } from "../router.tsx";
import { StateBadge } from "../ui/badge.tsx";
import { Section } from "../ui/form.tsx";
import { type Column, Table } from "../ui/table.tsx";

export function RequiredPlugins({ gateway }: { gateway: Gateway }) {
  const limits = `/gateways/${gateway.id}?tab=limits`;
  return (
    <Section
      title="Plugins"
      about="Plugins that run on every request of this gateway, lower priority numbers first."
    >
      <Table
        caption="Plugins"
        columns={columns(limits)}
        rows={gateway.required_plugins
          .map((entry, index) => ({ ...entry, id: `${index}` }))
          .toSorted((one, other) => one.priority - other.priority)}
        empty={
          <p>
            No plugins. To limit requests, <Link to={limits}>set rate limits</Link>.
          </p>
        }
      />
    </Section>
  );
}

const columns = (limits: string): Column<PluginEntry & { id: string }>[] => [
  {
    head: "Name",
    rowHeader: true,
    cell: ({ name }) => (name === RATE_LIMITER ? <Link to={limits}>{name}</Link> : name),
  },
  { head: "Stage", cell: ({ stage }) => <code>{stage}</code> },
  { head: "Priority", number: true, cell: ({ priority }) => priority },
  { head: "State", cell: ({ enabled }) => <StateBadge on={enabled} words={["on", "off"]} /> },
];
