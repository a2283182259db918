/** Entries of the command palette: pages, actions and resources with a matching name, and requests by trace id. */
import type { Reader } from "../api.ts";
import {
  collectors,
  consumers,
  detectors,
  gateways as gatewayCalls,
  policies,
  registries,
} from "../endpoints.ts";
import { changePreferences, THEMES, type Theme } from "../preferences.ts";
import { navigate } from "../router.tsx";
import type { ConsoleSession } from "../session.ts";
import type { IconName } from "../ui/icon.tsx";
import { listPages } from "./list-pages.ts";

export interface PaletteEntry {
  id: string;
  group: string;
  icon: IconName;
  text: string;
  run: () => void;
}

const MAX_PER_LIST = 5;

/** Returns the pages and actions whose text contains every word. */
export function findCommands(text: string, session: ConsoleSession): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (name: string) => words.every((word) => name.toLowerCase().includes(word));
  const pages = listPages(session).flatMap(({ pages: entries }) => entries);
  return [
    ...pages.map(({ to, icon, text: name }) => entry("Pages", icon, name, to)),
    ...newResources(session).map(([name, to]) => entry("Actions", "plus", `New ${name}`, to)),
    ...Object.entries(THEMES).map(([theme, name]) => ({
      id: theme,
      group: "Actions",
      icon: "settings" as const,
      text: `Theme: ${name}`,
      // The keys are the themes.
      run: () => changePreferences({ theme: theme as Theme }),
    })),
  ].filter(({ text: name }) => matches(name));
}

function newResources({ may, allGateways, gateway }: ConsoleSession): [string, string][] {
  if (!may("write")) return [];
  const path = gateway && `/gateways/${gateway.id}`;
  return [
    ...(path ? [["registry", `${path}/registries/new`] as [string, string]] : []),
    ...(path ? [["consumer", `${path}/consumers/new`] as [string, string]] : []),
    ...(allGateways ? GLOBAL_RESOURCES : []),
  ];
}

const GLOBAL_RESOURCES: [string, string][] = ["policy", "detector", "collector", "gateway"].map(
  (name) => [name, `/${name === "policy" ? "policies" : `${name}s`}/new`],
);

/** Searches the resources of the current gateway and of the installation by name. */
export async function findResources(
  q: string,
  session: ConsoleSession,
  read: Reader,
): Promise<PaletteEntry[]> {
  if (q === "") return [];
  const trace_id = q.replaceAll("-", "").toLowerCase();
  if (TRACE_ID.test(trace_id)) return await findTrace(trace_id, session, read);
  const { gateways, gateway, allGateways } = session;
  const query = { q, limit: MAX_PER_LIST };
  const params = { gateway_id: gateway?.id ?? "" };
  const path = `/gateways/${params.gateway_id}`;
  const [clients, upstreams] = gateway
    ? await Promise.all([
        read(consumers.list, { params, query }),
        read(registries.list, { params, query }),
      ])
    : [NONE, NONE];
  const [rules, finders, sources] = allGateways
    ? await Promise.all([
        read(policies.list, { params: {}, query }),
        read(detectors.list, { params: {}, query }),
        read(collectors.list, { params: {}, query }),
      ])
    : [NONE, NONE, NONE];
  const named = gateways.filter(({ name, slug }) =>
    `${name} ${slug}`.toLowerCase().includes(q.toLowerCase()),
  );
  const list = (group: string, icon: IconName, items: readonly NamedItem[], base: string) =>
    items.map(({ id, name }) => entry(group, icon, name, `${base}/${id}`));
  return [
    ...list("Consumers", "consumer", clients.items, `${path}/consumers`),
    ...list("Registries", "registry", upstreams.items, `${path}/registries`),
    ...list("Policies", "policy", rules.items, "/policies"),
    ...list("Detectors", "detector", finders.items, "/detectors"),
    ...list("Collectors", "collector", sources.items, "/collectors"),
    ...list("Gateways", "gateway", named.slice(0, MAX_PER_LIST), "/gateways"),
  ];
}

/** A request id without its hyphens is one too. */
const TRACE_ID = /^[\da-f]{32}$/;
/** Gateways that are searched for a trace, the current one first. */
const MAX_SEARCHED = 20;

async function findTrace(
  trace_id: string,
  { gateways, gateway, allGateways }: ConsoleSession,
  read: Reader,
): Promise<PaletteEntry[]> {
  const others = gateways.filter(({ id }) => id !== gateway?.id);
  const searched = [...(gateway ? [gateway] : []), ...others].slice(0, MAX_SEARCHED);
  const pages = await Promise.all(
    searched.map(({ id }) =>
      read(gatewayCalls.requests, {
        params: { gateway_id: id },
        query: { trace_id, limit: MAX_PER_LIST },
      }),
    ),
  );
  const query = `range=all&trace_id=${trace_id}`;
  const requests = pages
    .flatMap(({ items }) => items)
    .map(({ id, gateway_id, status, endpoint, error_code, error_message, upstream_error }) => {
      const reason = error_message ?? upstream_error ?? error_code;
      const text = `${status} ${endpoint}${reason ? `: ${reason}` : ""}`;
      return entry(
        "Requests",
        "requests",
        text,
        `/gateways/${gateway_id}/requests?${query}&open=${id}`,
      );
    });
  const evaluations = entry(
    "Activity",
    "activity",
    "Evaluations of the trace",
    `/activity?${query}`,
  );
  return allGateways ? [...requests, evaluations] : requests;
}

interface NamedItem {
  id: string;
  name: string;
}
const NONE: { items: NamedItem[] } = { items: [] };

const entry = (group: string, icon: IconName, text: string, to: string): PaletteEntry => ({
  id: to,
  group,
  icon,
  text,
  run: () => navigate(to),
});
