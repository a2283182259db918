/** Pickers of access rules: people, groups and servers that the gateway knows. */
import type { CatalogEntry } from "../../../contract/store/catalog.ts";
import { storeCatalog, storePrincipals } from "../../endpoints.ts";
import { readAllPages } from "../../read-all-pages.ts";
import type { TextFieldProps } from "../../ui/fields/field.tsx";
import { SuggestField } from "../../ui/fields/suggest-field.tsx";
import { useLoad } from "../../use-load.ts";

type PickerProps = Omit<TextFieldProps, "type"> & { gateway_id: string };

export function PersonPicker({ gateway_id, ...field }: PickerProps) {
  const loaded = useLoad(`${gateway_id} ${field.value}`, (read) =>
    read(storePrincipals.list, {
      params: { gateway_id },
      query: { q: field.value || undefined, limit: 20 },
    }),
  );
  const people = loaded.state === "ready" ? loaded.value.items : [];
  return (
    <SuggestField
      {...field}
      suggestions={people.map(({ principal_sub, groups }) => ({
        value: principal_sub,
        label: groups.join(", "),
      }))}
    />
  );
}

interface KnownGroup {
  name: string;
  people: number;
}

/** Returns the groups of known people; empty while they are loaded. */
export function useGroups(gateway_id: string): readonly KnownGroup[] {
  const loaded = useLoad(gateway_id, (read) =>
    read(storePrincipals.groups, { params: { gateway_id } }),
  );
  return loaded.state === "ready" ? loaded.value.items : [];
}

/** Returns the servers that the Store shows; undefined while they are loaded. */
export function useShownServers(gateway_id: string): readonly CatalogEntry[] | undefined {
  const loaded = useLoad(gateway_id, (read) =>
    readAllPages((query) =>
      read(storeCatalog.list, { params: { gateway_id }, query: { ...query, status: "shown" } }),
    ),
  );
  return loaded.state === "ready" ? loaded.value : undefined;
}

export function ServerPicker({
  servers,
  ...field
}: Omit<TextFieldProps, "type"> & { servers: readonly CatalogEntry[] | undefined }) {
  const suggestions = (servers ?? []).map(({ code, name }) => ({ value: code, label: name }));
  return <SuggestField {...field} suggestions={suggestions} />;
}

export const countPeople = (count: number): string =>
  count === 1 ? "1 known person" : `${count} known people`;

/** Describes the servers of a target, such as "Matches 3 servers: A, B and C." */
export function describeMatches(servers: readonly Pick<CatalogEntry, "name">[]): string {
  if (servers.length === 0) return "Matches no server that the Store shows.";
  const names = servers.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = servers.length - names.length;
  const list = more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
  return `Matches ${servers.length === 1 ? "1 server" : `${servers.length} servers`}: ${list}.`;
}

const MAX_NAMES = 5;
