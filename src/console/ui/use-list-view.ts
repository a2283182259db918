/** Hidden columns and saved views of a list, stored in the browser. */
import { useSyncExternalStore } from "react";
import { navigate, useLocation } from "../router.tsx";
import type { Column } from "./table.tsx";

/** A named set of filters, order and columns. */
export interface SavedView {
  name: string;
  /** Query of the address. */
  query: string;
  hidden: readonly string[];
}

interface StoredViews {
  /** Hidden columns by list, the same for all gateways. */
  hidden: Record<string, readonly string[]>;
  /** Saved views by address: their filters may contain ids of one gateway. */
  views: Record<string, readonly SavedView[]>;
}

export interface ListView<Row> {
  /** All columns, to select from. */
  all: readonly Column<Row>[];
  /** Visible columns. */
  columns: readonly Column<Row>[];
  show: (head: string, visible: boolean) => void;
  views: readonly SavedView[];
  /** Saves the current view, and replaces one of the same name. */
  save: (name: string) => void;
  apply: (view: SavedView) => void;
  remove: (name: string) => void;
}

const STORAGE_KEY = "portcullis.views";
const MAX_VIEWS = 20;
/** Parameters that are not part of a view. */
const TRANSIENT = ["cursor", "open"];

export function useListView<Row>(all: readonly Column<Row>[]): ListView<Row> {
  const { path, search } = useLocation();
  const stored = useSyncExternalStore(subscribe, () => current);
  const address = `${path}?${search.get("tab") ?? ""}`;
  const list = address.replace(/\/[\da-f-]{36}/g, "");
  const hidden = stored.hidden[list] ?? [];
  const views = stored.views[address] ?? [];
  const hide = (heads: readonly string[]) =>
    change({ hidden: { ...current.hidden, [list]: heads } });
  const keep = (next: readonly SavedView[]) =>
    change({ views: { ...current.views, [address]: next } });
  const others = (name: string) => views.filter((view) => view.name !== name);
  return {
    all,
    columns: all.filter(({ head }, index) => index === 0 || !hidden.includes(head)),
    views,
    show: (head, visible) => {
      const rest = hidden.filter((other) => other !== head);
      hide(visible ? rest : [...rest, head]);
    },
    save: (name) => {
      const query = new URLSearchParams(search);
      for (const parameter of TRANSIENT) query.delete(parameter);
      keep([...others(name), { name, query: query.toString(), hidden }].slice(-MAX_VIEWS));
    },
    apply: (view) => {
      hide(view.hidden);
      navigate(view.query ? `${path}?${view.query}` : path);
    },
    remove: (name) => keep(others(name)),
  };
}

const EMPTY: StoredViews = { hidden: {}, views: {} };
let current = readStored();
const changed = new EventTarget();

function readStored(): StoredViews {
  try {
    return { ...EMPTY, ...JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}") };
  } catch {
    return EMPTY;
  }
}

function change(changes: Partial<StoredViews>): void {
  current = { ...current, ...changes };
  localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  changed.dispatchEvent(new Event("changed"));
}

function subscribe(onChange: () => void): () => void {
  changed.addEventListener("changed", onChange);
  return () => changed.removeEventListener("changed", onChange);
}
