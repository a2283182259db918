/** Fields of a guard: its collector, what it evaluates, and what happens to requests that need approval. */
import type { GuardSettings } from "../../contract/guard/guard-settings.ts";
import { Link } from "../router.tsx";
import { CheckField, SelectField, TextField } from "../ui/fields/field.tsx";
import type { GuardSources } from "./guard-sources.ts";

/** As in the form: `wait_s` is the text of its field, and an empty `collector_id` means none. */
export interface GuardDraft extends Omit<GuardSettings, "collector_id" | "wait_s"> {
  collector_id: string;
  wait_s: string;
}

export const toGuardDraft = ({ collector_id, wait_s, ...settings }: GuardSettings): GuardDraft => ({
  ...settings,
  collector_id: collector_id ?? "",
  wait_s: String(wait_s),
});

export const toGuardInput = ({ collector_id, wait_s, ...settings }: GuardDraft): GuardSettings => ({
  ...settings,
  collector_id: collector_id || null,
  wait_s: Number(wait_s),
});

const ON_ASK: Record<GuardSettings["on_ask"], string> = {
  block: "Block: reject until approved",
  wait: "Wait: hold for a decision",
  allow: "Allow: pass and report",
};
const STREAM: Record<GuardSettings["stream"], string> = {
  exact: "Exact: hold text back until it is evaluated",
  observe: "Observe: pass at once, evaluate a copy",
};

interface GuardFieldsProps {
  gateway_id: string;
  guard: GuardDraft;
  sources: GuardSources;
  onChange: (guard: GuardDraft) => void;
  /** Returns the server's message about a field. */
  problem: (field: string) => string | undefined;
}

export function GuardFields({ gateway_id, guard, sources, onChange, problem }: GuardFieldsProps) {
  const change = (changes: Partial<GuardDraft>) => onChange({ ...guard, ...changes });
  const usable = sources.collectors.filter((one) => (one.gateway_id ?? gateway_id) === gateway_id);
  const isListed = usable.some(({ id }) => id === guard.collector_id);
  // A token that is limited to some gateways sees no collectors, and must keep the selected one.
  const selected = guard.collector_id && !isListed ? [guard.collector_id] : [];
  const check = (part: "llm" | "mcp", direction: "input" | "output", label: string) => (
    <CheckField
      label={label}
      checked={guard[part][direction]}
      onChange={(checked) => change({ [part]: { ...guard[part], [direction]: checked } })}
    />
  );
  return (
    <>
      <SelectField
        label="Collector"
        value={guard.collector_id}
        options={[
          ["", "None: nothing is evaluated"],
          ...selected.map((id) => [id, id] as const),
          ...usable.map(({ id, name }) => [id, name] as const),
        ]}
        hint={<PolicyOf collector_id={guard.collector_id} sources={sources} />}
        onChange={(collector_id) => change({ collector_id })}
        problem={problem("guard.collector_id")}
      />
      {guard.collector_id && (
        <>
          <fieldset className="field group">
            <legend>Evaluate</legend>
            {check("llm", "input", "Requests to models")}
            {check("llm", "output", "Responses of models")}
            {check("mcp", "input", "MCP tool calls")}
            {check("mcp", "output", "MCP results and tool definitions")}
          </fieldset>
          <div className="columns">
            <SelectField
              label="Requests that need approval"
              value={guard.on_ask}
              options={Object.entries(ON_ASK)}
              // The options are the keys of ON_ASK.
              onChange={(on_ask) => change({ on_ask: on_ask as GuardSettings["on_ask"] })}
            />
            {guard.on_ask === "wait" && (
              <TextField
                label="Wait up to (seconds)"
                type="number"
                min={1}
                max={300}
                required
                value={guard.wait_s}
                onChange={(wait_s) => change({ wait_s })}
                problem={problem("guard.wait_s")}
              />
            )}
          </div>
          <SelectField
            label="Streamed responses"
            value={guard.stream}
            options={Object.entries(STREAM)}
            // The options are the keys of STREAM.
            onChange={(stream) => change({ stream: stream as GuardSettings["stream"] })}
          />
        </>
      )}
    </>
  );
}

interface PolicyOfProps {
  collector_id: string | null;
  sources: GuardSources;
}

/** Names the policy of a collector. */
export function PolicyOf({ collector_id, sources }: PolicyOfProps) {
  const collector = sources.collectors.find(({ id }) => id === collector_id);
  if (!collector) return null;
  const policy = sources.policies.find(({ id }) => id === collector.default_policy_id);
  if (!policy) return <>This collector has no policy: everything is allowed.</>;
  const { id, name, mode } = policy;
  const version = collector.default_policy_version ?? policy.version;
  return (
    <>
      Policy <Link to={`/policies/${id}`}>{name}</Link> (version {version}, {mode}), unless{" "}
      <Link to={`/collectors/${collector.id}?tab=overrides`}>an override</Link> applies.
    </>
  );
}
