/** List of the server, page by page. Search, order and cursor are stored in the address. */
import { type ReactNode, useEffect, useState } from "react";
import type { LiveTopic } from "../../contract/live.ts";
import type { Reader } from "../api.ts";
import { useLive } from "../live/live-stream.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { useLoad } from "../use-load.ts";
import { Icon } from "./icon.tsx";
import { Ready } from "./page.tsx";
import { type Column, Table } from "./table.tsx";
import { useListView } from "./use-list-view.ts";
import { ViewMenu } from "./view-menu.tsx";

export interface ListQuery {
  q: string | undefined;
  sort: string | undefined;
  cursor: string | undefined;
}

interface ListProps<Row extends { id: string }> {
  caption: string;
  /** Starts a sentence: "The registries". */
  what: string;
  load: (query: ListQuery, read: Reader) => Promise<{ items: Row[]; next_cursor: string | null }>;
  columns: readonly Column<Row>[];
  /** Shown when the unfiltered list is empty. */
  empty: ReactNode;
  /** Default order of the server. */
  sorted?: string;
  /** Label of the search box. Undefined: no search. */
  search?: string;
  filters?: ReactNode;
  /** The list is loaded again when this topic changes. */
  live?: LiveTopic;
}

export function List<Row extends { id: string }>(props: ListProps<Row>) {
  const { caption, what, load, columns, empty, sorted, search, filters, live } = props;
  const query = useListQuery();
  const { search: address } = useLocation();
  const loaded = useLoad(address.toString(), (read) => load(query, read));
  useLive(live ? [live] : [], loaded.reload);
  const view = useListView(columns);
  const onSort = (sort: string) => changeQuery({ sort, cursor: undefined });
  const isFiltered = [...address.keys()].some((name) => name !== "sort" && name !== "tab");
  return (
    <>
      <div className="toolbar">
        {search && <SearchBox label={search} />}
        {filters}
        <ViewMenu view={view} sort={query.sort ?? sorted} onSort={onSort} />
      </div>
      <Ready of={loaded} what={what}>
        {({ items, next_cursor }) => (
          <>
            <Table
              caption={caption}
              columns={view.columns}
              rows={items}
              empty={isFiltered ? <NoMatch /> : empty}
              sort={query.sort ?? sorted}
              onSort={onSort}
            />
            <Pager first={query.cursor === undefined} next={next_cursor} />
          </>
        )}
      </Ready>
      {loaded.state === "error" && isFiltered && <ShowAll />}
    </>
  );
}

function useListQuery(): ListQuery {
  const { search } = useLocation();
  const read = (name: string) => search.get(name) ?? undefined;
  return { q: read("q"), sort: read("sort"), cursor: read("cursor") };
}

const DEBOUNCE_MS = 250;

export function SearchBox({ label }: { label: string }) {
  const { search } = useLocation();
  const current = search.get("q") ?? "";
  const [text, setText] = useState(current);
  useEffect(() => setText(current), [current]);
  useEffect(() => {
    if (text === current) return;
    const timer = setTimeout(
      () => changeQuery({ q: text, cursor: undefined }, "replace"),
      DEBOUNCE_MS,
    );
    return () => clearTimeout(timer);
  }, [text, current]);
  return (
    <label className="search">
      <span className="visually-hidden">{label}</span>
      <Icon name="search" />
      <input
        type="search"
        value={text}
        placeholder={label}
        maxLength={200}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  );
}

const NoMatch = () => (
  <>
    <p>No matches.</p>
    <ShowAll />
  </>
);

/** Removes all filters, and a cursor that no longer exists. */
const ShowAll = () => (
  <button type="button" className="button" onClick={showAll}>
    Show all
  </button>
);

function showAll(): void {
  const { searchParams } = new URL(location.href);
  const filters = [...searchParams.keys()].filter((name) => name !== "tab" && name !== "sort");
  changeQuery(Object.fromEntries(filters.map((name) => [name, undefined])));
}

export function Pager({ first, next }: { first: boolean; next: string | null }) {
  if (first && !next) return null;
  return (
    <nav className="pager" aria-label="Pages">
      {!first && (
        <button type="button" className="button" onClick={() => changeQuery({ cursor: undefined })}>
          First page
        </button>
      )}
      {next && (
        <button type="button" className="button" onClick={() => changeQuery({ cursor: next })}>
          Next page
        </button>
      )}
    </nav>
  );
}
