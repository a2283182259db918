/** Filters of Activity: time range, text and chips, all stored in the address. */
import { type ReactNode, useState } from "react";
import type { EvaluationEvent, ActivityFilters as Filters } from "../../contract/guard/activity.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { SelectField } from "../ui/fields/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { TextFilter } from "../ui/text-filter.tsx";
import { listRanges, readRange, selectRange, toRangeOption } from "../ui/time-range.ts";
import { VERDICTS } from "../ui/verdict-badge.tsx";
import {
  type ActivityFilter,
  FILTER_LABELS,
  FILTER_NAMES,
  type FilterNames,
} from "./activity-query.ts";

export function ActivityFilters({ names }: { names: FilterNames }) {
  const { search } = useLocation();
  const { may } = useSession();
  const q = search.get("q") ?? "";
  return (
    <>
      <div className="toolbar">
        <SelectField
          label="Time"
          value={toRangeOption(readRange(search))}
          options={listRanges(search)}
          onChange={selectRange}
        />
        {may("audit") && (
          <TextFilter
            key={q}
            label="Search stored text"
            value={q}
            apply={(text) => changeQuery({ q: text })}
          />
        )}
        <AddFilter names={names} />
      </div>
      <Chips names={names} />
    </>
  );
}

/** One option for both kinds of id: people often do not know which one they have. */
const OPTIONS: readonly (readonly [ActivityFilter, string])[] = FILTER_NAMES.filter(
  (name) => name !== "request_id",
).map((name) => [name, name === "trace_id" ? "Trace or request ID" : FILTER_LABELS[name]] as const);

const DIRECTIONS: readonly EvaluationEvent["direction"][] = ["input", "output"];
const PROTOCOLS: readonly EvaluationEvent["protocol"][] = ["all", "llm", "mcp", "a2a"];
const FEEDBACK: readonly NonNullable<Filters["feedback"]>[] = ["correct", "incorrect", "any"];
const VALUES: Partial<Record<ActivityFilter, readonly string[]>> = {
  status: VERDICTS,
  direction: DIRECTIONS,
  protocol: PROTOCOLS,
  feedback: FEEDBACK,
};

function AddFilter({ names }: { names: FilterNames }) {
  const [selected, setSelected] = useState<ActivityFilter | "">("");
  const apply = (value: string) => {
    if (!value) return;
    changeQuery(selected === "trace_id" ? { [detectIdKind(value)]: value } : { [selected]: value });
    setSelected("");
  };
  const options =
    selected && (names[selected] ?? VALUES[selected]?.map((word) => [word, word] as const));
  const label = OPTIONS.find(([name]) => name === selected)?.[1] ?? "";
  return (
    <>
      <SelectField
        label="Filter by"
        value={selected}
        options={[["", "Select…"], ...OPTIONS]}
        // The options are filters.
        onChange={(value) => setSelected(value as ActivityFilter | "")}
      />
      {selected &&
        (options ? (
          <SelectField
            label={label}
            value=""
            options={[["", "Any"], ...options]}
            onChange={apply}
          />
        ) : (
          <TextFilter key={selected} label={label} value="" apply={apply} />
        ))}
    </>
  );
}

const detectIdKind = (id: string): ActivityFilter =>
  /^[\da-f]{8}-[\da-f-]{27}$/i.test(id) ? "request_id" : "trace_id";

function Chips({ names }: { names: FilterNames }) {
  const { search } = useLocation();
  const active = FILTER_NAMES.flatMap((name) => {
    const value = search.get(name);
    return value ? [{ name, value }] : [];
  });
  if (active.length === 0) return null;
  return (
    <ul className="chips filter-chips" aria-label="Filters">
      {active.map(({ name, value }) => {
        const text = names[name]?.get(value) ?? value;
        return (
          <li key={name} className="chip">
            {FILTER_LABELS[name]}: <strong>{text}</strong>
            <button
              type="button"
              className="chip-act"
              aria-label={`Remove filter ${FILTER_LABELS[name]}: ${text}`}
              onClick={() => changeQuery({ [name]: undefined })}
            >
              <Icon name="cross" />
            </button>
          </li>
        );
      })}
      {active.length > 1 && (
        <li>
          <button type="button" className="link small" onClick={clearFilters}>
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}

const clearFilters = (): void =>
  changeQuery(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])));

interface FilterButtonProps {
  name: ActivityFilter;
  value: string | null;
  children: ReactNode;
}

/** Cell that filters the list by its value. */
export function FilterButton({ name, value, children }: FilterButtonProps) {
  if (value === null) return <span className="muted">none</span>;
  return (
    <button
      type="button"
      className="cell"
      title={`Filter by this ${FILTER_LABELS[name].toLowerCase()}: ${typeof children === "string" ? children : value}`}
      onClick={() => changeQuery({ [name]: value })}
    >
      {children}
    </button>
  );
}
