/** Filters of Requests, all stored in the address. */
import type { StatusFilter } from "../../contract/gateway/requests.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { SelectField } from "../ui/fields/field.tsx";
import { TextFilter } from "../ui/text-filter.tsx";
import { listRanges, readRange, selectRange, toRangeOption } from "../ui/time-range.ts";
import type { RequestNames } from "./request-columns.tsx";

/** Endpoint names of the data plane. */
const ENDPOINTS = [
  "chat",
  "completions",
  "responses",
  "responses.one",
  "responses.cancel",
  "responses.input_items",
  "responses.compact",
  "responses.input_tokens",
  "conversations",
  "messages",
  "messages.count_tokens",
  "messages.batches",
  "generate_content",
  "generate_content.stream",
  "generate_content.count_tokens",
  "embeddings",
  "images.generations",
  "images.edits",
  "images.variations",
  "audio.speech",
  "audio.transcriptions",
  "moderations",
  "rerank",
  "files",
  "uploads",
  "batches",
  "models",
];

const STATUS_CLASSES: readonly (readonly [StatusFilter | "", string])[] = [
  ["", "Any"],
  ["errors", "Errors"],
  ["2xx", "2xx"],
  ["3xx", "3xx"],
  ["4xx", "4xx"],
  ["5xx", "5xx"],
];

const TEXT_FILTERS = [
  "model_sent",
  "status",
  "error_code",
  "key_id",
  "user_id",
  "trace_id",
] as const;
const LABELS = {
  model_sent: "Model sent",
  status: "Status",
  error_code: "Error code",
  key_id: "Key ID",
  user_id: "User",
  trace_id: "Trace ID",
};

export function RequestFilters({ names }: { names: RequestNames }) {
  const { search } = useLocation();
  const set = (name: string) => (value: string) => changeQuery({ [name]: value });
  const value = (name: string) => search.get(name) ?? "";
  return (
    <div className="filters">
      <SelectField
        label="Time"
        value={toRangeOption(readRange(search))}
        options={listRanges(search)}
        onChange={selectRange}
      />
      <SelectField
        label="Consumer"
        value={value("consumer_id")}
        options={toOptions(names.consumers, value("consumer_id"))}
        onChange={set("consumer_id")}
      />
      <SelectField
        label="Registry"
        value={value("registry_id")}
        options={toOptions(names.registries, value("registry_id"))}
        onChange={set("registry_id")}
      />
      <SelectField
        label="Endpoint"
        value={value("endpoint")}
        options={toOptions(new Map(ENDPOINTS.map((name) => [name, name])), value("endpoint"))}
        onChange={set("endpoint")}
      />
      <SelectField
        label="Status class"
        value={value("status_class")}
        options={STATUS_CLASSES}
        onChange={set("status_class")}
      />
      {TEXT_FILTERS.map((name) => (
        <TextFilter
          key={`${name}${value(name)}`}
          label={LABELS[name]}
          value={value(name)}
          type={name === "status" ? "number" : "text"}
          apply={set(name)}
        />
      ))}
    </div>
  );
}

/** Includes the value in the address even if it no longer exists. */
function toOptions(names: ReadonlyMap<string, string>, selected: string) {
  const unknown = selected && !names.has(selected) ? [[selected, selected] as const] : [];
  return [["", "Any"] as const, ...names, ...unknown];
}
