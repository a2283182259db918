/** Filters of the audit log, all stored in the address. */
import { auditLog } from "../endpoints.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { SelectField } from "../ui/fields/field.tsx";
import { TextFilter } from "../ui/text-filter.tsx";
import { listRanges, readRange, selectRange, toRangeOption } from "../ui/time-range.ts";
import { useLoad } from "../use-load.ts";

/** An administrator looks for one change, which may be old. */
export const DEFAULT_RANGE = "all";

const RESOURCES = [
  ["", "Any"],
  ["session", "Sign-ins"],
  ["gateway", "Gateways"],
  ["registry", "Registries and instances"],
  ["consumer", "Consumers"],
  ["consumer_key", "Consumer keys"],
  ["policy", "Policies"],
  ["exception", "Exceptions"],
  ["exemption", "Exemptions"],
  ["detector", "Detectors"],
  ["collector", "Collectors"],
  ["collector_key", "Collector keys"],
  ["service_client", "Service clients"],
  ["override", "Policy overrides"],
  ["calibration", "Calibrations"],
  ["approval", "Approvals"],
  ["activity", "Erased evaluations"],
  ["feedback", "Marked findings"],
  ["limit_state", "Rate limit usage"],
  ["limit_block", "Rate limit blocks"],
  ["store_request", "Store requests"],
  ["store_install", "Store installs"],
  ["store_grant", "Store approvals"],
  ["store_credential", "Connected accounts"],
  ["access_rule", "Access rules"],
  ["catalog_entry", "Store servers"],
  ["pinned_tool", "Tools of MCP servers"],
  ["authorization_server", "Authorization servers"],
  ["issuer", "Issuers"],
  ["principal_token", "Personal tokens"],
  ["playground_token", "Playground"],
  ["token", "Administrator tokens"],
  ["secrets", "Encryption keys"],
] as const;

export function AuditFilters({ gateway_id }: { gateway_id: string }) {
  const { allGateways, gateways } = useSession();
  const { search } = useLocation();
  const value = (name: string) => search.get(name) ?? "";
  const set = (name: string) => (next: string) => changeQuery({ [name]: next, cursor: undefined });
  const actors = useLoad(gateway_id, (read) =>
    read(auditLog.actors, { params: {}, query: { gateway_id: gateway_id || undefined } }),
  );
  return (
    <>
      <SelectField
        label="Time"
        value={toRangeOption(readRange(search, DEFAULT_RANGE))}
        options={listRanges(search)}
        onChange={(range) => {
          changeQuery({ cursor: undefined }, "replace");
          selectRange(range);
        }}
      />
      <TextFilter
        key={value("actor")}
        label="Actor"
        value={value("actor")}
        suggestions={actors.state === "ready" ? actors.value.items : []}
        apply={set("actor")}
      />
      <SelectField
        label="Resource"
        value={value("resource")}
        options={RESOURCES}
        onChange={set("resource")}
      />
      <SelectField
        label="In gateway"
        value={gateway_id}
        options={[
          ...(allGateways ? [["", "Any"] as const] : []),
          ...gateways.map(({ id, name, slug }) => [id, `${name} (${slug})`] as const),
        ]}
        onChange={set("gateway_id")}
      />
    </>
  );
}
