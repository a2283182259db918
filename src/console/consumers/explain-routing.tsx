/** Explains where a request of a consumer would go, and why other registries are excluded. */
import { useEffect, useEffectEvent, useState } from "react";
import type { Consumer } from "../../contract/gateway/consumers.ts";
import type { Explanation } from "../../contract/gateway/explain.ts";
import type { Capability } from "../../contract/gateway/registries.ts";
import { call } from "../api.ts";
import { consumers } from "../endpoints.ts";
import { Link, useLocation } from "../router.tsx";
import { SelectField, TextField } from "../ui/fields/field.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { Section } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure } from "../ui/page.tsx";
import { useAction } from "../use-action.ts";

/** Example endpoint of each capability. Clients have none for Converse. */
const PATHS: Record<Exclude<Capability, "converse">, string> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  generate_content: "/v1beta/models/{model}:generateContent",
  embeddings: "/v1/embeddings",
  images: "/v1/images/generations",
  audio_speech: "/v1/audio/speech",
  audio_transcription: "/v1/audio/transcriptions",
  files: "/v1/files",
  completions: "/v1/completions",
  moderations: "/v1/moderations",
  rerank: "/v1/rerank",
  count_tokens: "/v1/messages/count_tokens",
  count_content_tokens: "/v1beta/models/{model}:countTokens",
  response_context: "/v1/responses/compact",
  stored_responses: "/v1/responses/resp_123/input_items",
  conversations: "/v1/conversations",
  uploads: "/v1/uploads",
  batches: "/v1/batches",
  message_batches: "/v1/messages/batches",
};
/** Endpoints of requests whose names are not the name of a capability, by the start of their name. */
const CAPABILITY_BY_ENDPOINT: readonly (readonly [string, keyof typeof PATHS])[] = [
  ["responses.compact", "response_context"],
  ["responses.input_tokens", "response_context"],
  ["responses.", "stored_responses"],
  ["messages.count_tokens", "count_tokens"],
  ["messages.batches", "message_batches"],
  ["audio.speech", "audio_speech"],
  ["audio.transcriptions", "audio_transcription"],
];

/** Returns the capability of an endpoint of a request event, such as `images.edits`. */
function findCapability(endpoint: string): string {
  const found = CAPABILITY_BY_ENDPOINT.find(([start]) => endpoint.startsWith(start));
  const name = found?.[1] ?? endpoint.replace(/\..*/, "");
  return name in PATHS ? name : "chat";
}

const CAPABILITIES = Object.keys(PATHS).map((name) => [name, name.replaceAll("_", " ")] as const);

export function ExplainRouting({ consumer }: { consumer: Consumer }) {
  const { gateway_id, id: consumer_id } = consumer;
  const { search } = useLocation();
  const endpoint = search.get("endpoint");
  const [capability, setCapability] = useState(findCapability(endpoint ?? ""));
  const [model, setModel] = useState(search.get("model") ?? "");
  const [pin, setPin] = useState(search.get("pin") ?? "");
  const [explanation, setExplanation] = useState<Explanation>();
  // The options of the select are the keys of PATHS.
  const path = PATHS[capability as keyof typeof PATHS];
  const explain = useAction(async () => {
    setExplanation(undefined);
    const headers: Record<string, string> = pin ? { "X-AG-Pin": pin } : {};
    const named = path.replace("{model}", encodeURIComponent(model || "auto"));
    const body = { path: named, headers, ...(model ? { model } : {}) };
    setExplanation(await call(consumers.explain, { params: { gateway_id, consumer_id }, body }));
  });
  const explainFirst = useEffectEvent(() => void explain.run());
  // A link from a request names its endpoint.
  useEffect(() => {
    if (endpoint) explainFirst();
  }, [endpoint]);
  return (
    <Section title="Explain" about="Shows where a request would go now. Nothing is sent.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void explain.run();
        }}
      >
        <div className="columns">
          <SelectField
            label="Capability"
            value={capability}
            options={CAPABILITIES}
            hint={path}
            onChange={setCapability}
          />
          <TextField
            label="Model (optional)"
            placeholder="default model"
            hint="As sent by the client."
            value={model}
            onChange={setModel}
            problem={findProblem(explain.error, "model")}
          />
          <TextField
            label="Pin (optional)"
            placeholder="none"
            hint="X-AG-Pin header: name or ID of a registry, or @provider."
            value={pin}
            onChange={setPin}
            problem={findProblem(explain.error, "headers")}
          />
        </div>
        <Failure title="The explanation failed." error={explain.error} />
        <div className="form-end">
          <button type="submit" className="button" disabled={explain.busy}>
            Explain
          </button>
        </div>
      </form>
      <div role="status" className="explanation">
        {explanation && <Result explanation={explanation} gateway_id={gateway_id} />}
      </div>
    </Section>
  );
}

interface ResultProps {
  explanation: Explanation;
  gateway_id: string;
}

function Result({ explanation, gateway_id }: ResultProps) {
  const { refusal, registries, order, fallbacks } = explanation;
  const included = order.flatMap((id) => registries.find((registry) => registry.id === id) ?? []);
  const excluded = registries.filter((registry) => !registry.in);
  const renderLink = ({ id, name, provider }: Explanation["registries"][number]) => (
    <>
      <Link to={`/gateways/${gateway_id}/registries/${id}`}>{name}</Link> ({provider})
    </>
  );
  return (
    <>
      {refusal && (
        <div className="note warn">
          <Icon name="warning" />
          <div>
            <strong>
              The client would get {refusal.status} {refusal.code}.
            </strong>
            <p>{refusal.message}</p>
          </div>
        </div>
      )}
      {included.length > 0 && (
        <>
          <h3>Tried in this order</h3>
          <ol className="entries">
            {included.map((registry) => (
              <li key={registry.id}>
                {renderLink(registry)} as{" "}
                {registry.model ? <code>{registry.model}</code> : "no model"}
                {registry.translated && (
                  <>
                    , translated to <code>{registry.dialect}</code>,
                  </>
                )}
                {registry.url && (
                  <>
                    {" "}
                    at <code>{registry.url}</code>
                  </>
                )}
              </li>
            ))}
          </ol>
        </>
      )}
      {fallbacks.length > 0 && (
        <>
          <h3>Then, with fallback models</h3>
          <ol className="entries">
            {fallbacks.map(({ registry_id, model }) => {
              const registry = registries.find(({ id }) => id === registry_id);
              return (
                <li key={`${registry_id} ${model}`}>
                  {registry && renderLink(registry)} as <code>{model}</code>
                </li>
              );
            })}
          </ol>
        </>
      )}
      {excluded.length > 0 && (
        <>
          <h3>Excluded</h3>
          <ul className="entries">
            {excluded.map((registry) => (
              <li key={registry.id}>
                {renderLink(registry)}: {registry.message}
              </li>
            ))}
          </ul>
        </>
      )}
      {registries.length === 0 && <p>The consumer has no registries. Attach one under Routing.</p>}
      {!refusal && <GuardSentence guard={explanation.guard} />}
    </>
  );
}

function GuardSentence({ guard }: Pick<Explanation, "guard">) {
  if (!guard) return <p>Nothing is evaluated: the consumer has no guard.</p>;
  const { collector, policy, input, output } = guard;
  const parts = [input ? "the request" : "", output ? "the response" : ""].filter(Boolean);
  const evaluated = parts.join(" and ") || "nothing of this request";
  return (
    <p>
      The guard (collector <Link to={`/collectors/${collector.id}`}>{collector.name}</Link>)
      evaluates {evaluated}
      {policy ? (
        <>
          {" "}
          by the policy <Link to={`/policies/${policy.id}`}>{policy.name}</Link>, version{" "}
          {policy.version} ({policy.mode}).
        </>
      ) : (
        ", but has no policy: everything is allowed."
      )}
    </p>
  );
}
