/** What narrows the list of requests; every choice stands in the address. */
import { changeQuery, useLocation } from "../router.tsx";
import { SelectField } from "../ui/field.tsx";
import { TextFilter } from "../ui/text-filter.tsx";
import { RANGE_OPTIONS, readRange } from "../ui/time-range.ts";
import type { RequestNames } from "./request-columns.tsx";

/** As the data plane names them. */
const ENDPOINTS = [
  "chat",
  "responses",
  "messages",
  "embeddings",
  "images.generations",
  "images.edits",
  "images.variations",
  "audio.speech",
  "audio.transcriptions",
  "files",
  "models",
];

const TYPED = ["status", "error_code", "trace_id"] as const;
const LABELS = { status: "Status", error_code: "Error code", trace_id: "Trace id" };

export function RequestFilters({ names }: { names: RequestNames }) {
  const { search } = useLocation();
  const set = (name: string) => (value: string) => changeQuery({ [name]: value });
  const value = (name: string) => search.get(name) ?? "";
  return (
    <div className="filters">
      <SelectField
        label="Time"
        value={readRange(search)}
        options={RANGE_OPTIONS}
        onChange={set("range")}
      />
      <SelectField
        label="Consumer"
        value={value("consumer_id")}
        options={choices(names.consumers, value("consumer_id"))}
        onChange={set("consumer_id")}
      />
      <SelectField
        label="Registry"
        value={value("registry_id")}
        options={choices(names.registries, value("registry_id"))}
        onChange={set("registry_id")}
      />
      <SelectField
        label="Endpoint"
        value={value("endpoint")}
        options={choices(new Map(ENDPOINTS.map((name) => [name, name])), value("endpoint"))}
        onChange={set("endpoint")}
      />
      {TYPED.map((name) => (
        <TextFilter
          key={`${name}${value(name)}`}
          label={LABELS[name]}
          given={value(name)}
          type={name === "status" ? "number" : "text"}
          apply={set(name)}
        />
      ))}
    </div>
  );
}

/** One that is no longer there stays choosable while the address names it. */
function choices(known: ReadonlyMap<string, string>, given: string) {
  const more = given && !known.has(given) ? [[given, given] as const] : [];
  return [["", "Any"] as const, ...known, ...more];
}
