/** Everything that uses a policy: collectors, gateways, consumers and MCP endpoints. */
import type { ReactNode } from "react";
import type { z } from "zod";
import type {
  listPolicyUses,
  Policy,
  PolicyGuard,
  PolicyUse,
} from "../../contract/guard/policies.ts";
import { Link } from "../router.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { joinWords } from "../ui/text.ts";

export type PolicyUses = z.output<typeof listPolicyUses.reply>;

interface Row {
  id: string;
  kind: string;
  name: ReactNode;
  about: ReactNode;
}

const COLUMNS: Column<Row>[] = [
  { head: "Name", rowHeader: true, cell: ({ name }) => name },
  { head: "Kind", cell: ({ kind }) => kind },
  { head: "How it uses the policy", cell: ({ about }) => about },
];

export function PolicyUsesTable({ policy, uses }: { policy: Policy; uses: PolicyUses }) {
  return (
    <Table
      caption={`Uses of ${policy.name}`}
      columns={COLUMNS}
      rows={[
        ...uses.items.map((use) => toCollectorRow(use, policy)),
        ...uses.guards.flatMap(toGuardRows),
      ]}
      empty={
        <>
          <p>Nothing uses this policy yet. Select it in a collector.</p>
          <Link to="/collectors" className="button">
            Collectors
          </Link>
        </>
      }
    />
  );
}

function toCollectorRow(use: PolicyUse, policy: Policy): Row {
  const { collector_id, collector_name, consumer_id, version } = use;
  const tab = consumer_id === null ? "" : "?tab=overrides";
  const pinned = version === null ? `latest version (${policy.version})` : `version ${version}`;
  return {
    id: `${collector_id} ${consumer_id}`,
    kind: consumer_id === null ? "Collector" : "Override",
    name: <Link to={`/collectors/${collector_id}${tab}`}>{collector_name}</Link>,
    about:
      consumer_id === null ? (
        <>For everyone without an override, {pinned}</>
      ) : (
        <>
          For <code>{consumer_id}</code>, {pinned}
        </>
      ),
  };
}

/** Returns the row of a gateway or consumer, and that of its MCP endpoint. */
function toGuardRows(guard: PolicyGuard): Row[] {
  const { gateway_id, gateway_name, consumer, collector_name, mcp_path, inherited_by } = guard;
  const path = `/gateways/${gateway_id}${consumer ? `/consumers/${consumer.id}` : ""}`;
  const heirs =
    inherited_by === 1 ? "1 consumer inherits it" : `${inherited_by} consumers inherit it`;
  const traffic = (part: "llm" | "mcp", words: readonly [input: string, output: string]) =>
    joinWords(
      [...(guard[part].input ? [words[0]] : []), ...(guard[part].output ? [words[1]] : [])],
      "and",
    );
  const models = traffic("llm", ["requests", "responses"]);
  const rows: Row[] = [
    {
      id: path,
      kind: consumer ? "Consumer" : "Gateway",
      name: <Link to={path}>{consumer?.name ?? gateway_name}</Link>,
      about: `Guard with collector ${collector_name}: ${models ? `model ${models}` : "no model traffic"}${inherited_by > 0 ? `; ${heirs}` : ""}`,
    },
  ];
  if (mcp_path === null) return rows;
  const calls = traffic("mcp", ["tool calls", "results"]);
  return [
    ...rows,
    {
      id: `${path} mcp`,
      kind: "MCP endpoint",
      name: <code>{mcp_path}</code>,
      about: `${calls} in gateway ${gateway_name}`.replace(/^./, (first) => first.toUpperCase()),
    },
  ];
}

const MAX_NAMED = 8;

/** Says why a policy in use cannot be deleted. Undefined: it is not in use. */
export function describeUses({ items, guards }: PolicyUses): ReactNode {
  if (items.length === 0) return undefined;
  const names = guards.map(({ consumer, gateway_name }) => consumer?.name ?? gateway_name);
  return (
    <>
      <p>These use the policy. Select another policy there first:</p>
      <ul>
        {items.slice(0, MAX_NAMED).map(({ collector_id, collector_name, consumer_id }) => (
          <li key={`${collector_id} ${consumer_id}`}>
            Collector {collector_name}
            {consumer_id !== null && `, override for ${consumer_id}`}
          </li>
        ))}
        {items.length > MAX_NAMED && <li>{items.length - MAX_NAMED} more</li>}
      </ul>
      {guards.length > 0 && (
        <p>
          Through them it evaluates traffic of{" "}
          {joinWords([...new Set(names)].slice(0, MAX_NAMED), "and")}
          {names.length > MAX_NAMED && " and others"}.
        </p>
      )}
    </>
  );
}
