/** Console → Playground: sends requests of a consumer, and shows responses, headers, verdict and code. */
import { useMemo } from "react";
import type { Consumer } from "../../contract/gateway/consumers.ts";
import { consumers } from "../endpoints.ts";
import { readAllPages } from "../read-all-pages.ts";
import { changeQuery, Link, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";
import { SelectField } from "../ui/fields/field.tsx";
import { Page, Ready } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { ChatForm } from "./chat-form.tsx";
import { EmbeddingForm } from "./embedding-form.tsx";
import { EvaluationForm } from "./evaluation-form.tsx";
import { FileForm } from "./file-form.tsx";
import { ImageForm } from "./image-form.tsx";
import { McpForm } from "./mcp-form.tsx";
import { createConsumerSender, type SendAsConsumer } from "./send-as-consumer.ts";
import { SpeechForm } from "./speech-form.tsx";
import { TranscriptionForm } from "./transcription-form.tsx";

export interface PlaygroundFormProps {
  gateway_id: string;
  consumer: Consumer;
  send: SendAsConsumer;
  /** Ids of the models that the consumer can use. */
  models: readonly string[];
}

const TABS = {
  chat: { text: "Chat", Form: ChatForm },
  images: { text: "Images", Form: ImageForm },
  speech: { text: "Speech", Form: SpeechForm },
  transcription: { text: "Transcription", Form: TranscriptionForm },
  embeddings: { text: "Embeddings", Form: EmbeddingForm },
  files: { text: "Files", Form: FileForm },
  mcp: { text: "MCP tools", Form: McpForm },
  evaluations: { text: "Evaluations", Form: EvaluationForm },
};
type TabName = keyof typeof TABS;
const TAB_NAMES = Object.keys(TABS) as TabName[];

export function PlaygroundPage({ gateway_id }: { gateway_id: string }) {
  const { may } = useSession();
  const loaded = useLoad(gateway_id, (read) =>
    readAllPages((query) => read(consumers.list, { params: { gateway_id }, query })),
  );
  return (
    <Page
      title="Playground"
      about="Sends real requests as a consumer or a collector. Limits, guard and routing apply; Requests and Activity list them."
    >
      {may("write") ? (
        <Ready of={loaded} what="The consumers">
          {(all) => <Playground gateway_id={gateway_id} all={all.filter(({ active }) => active)} />}
        </Ready>
      ) : (
        <p>Your role may not send requests. It needs the permission to write.</p>
      )}
    </Page>
  );
}

function Playground({ gateway_id, all }: { gateway_id: string; all: readonly Consumer[] }) {
  const { search } = useLocation();
  const consumer = all.find(({ id }) => id === search.get("consumer")) ?? all[0];
  if (!consumer) {
    return (
      <p>
        This gateway has no active consumer.{" "}
        <Link to={`/gateways/${gateway_id}/consumers/new`}>Create one.</Link>
      </p>
    );
  }
  return (
    <>
      <div className="toolbar">
        <SelectField
          label="Consumer"
          value={consumer.id}
          options={all.map(({ id, name }) => [id, name])}
          onChange={(id) => changeQuery({ consumer: id }, "replace")}
        />
      </div>
      <ConsumerForms key={consumer.id} gateway_id={gateway_id} consumer={consumer} />
    </>
  );
}

function ConsumerForms({ gateway_id, consumer }: { gateway_id: string; consumer: Consumer }) {
  const { search } = useLocation();
  const { id, slug } = consumer;
  const send = useMemo(
    () => createConsumerSender({ gateway_id, consumer_id: id }, slug),
    [gateway_id, id, slug],
  );
  const models = useLoad(id, async () => {
    const response = await send({ path: "/v1/models" });
    const list = (await response.json()) as { data?: { id: string }[] };
    return (list.data ?? []).map((model) => model.id);
  });
  const tab = TAB_NAMES.find((name) => name === search.get("tab")) ?? "chat";
  const { Form } = TABS[tab];
  const known = models.state === "ready" ? models.value : [];
  return (
    <>
      <nav className="tabs" aria-label="Kinds of requests">
        {TAB_NAMES.map((name) => (
          <Link
            key={name}
            to={`/gateways/${gateway_id}/playground?${new URLSearchParams({ consumer: id, tab: name })}`}
            aria-current={name === tab ? "page" : undefined}
          >
            {TABS[name].text}
          </Link>
        ))}
      </nav>
      {models.state === "loading" ? (
        <p className="loading">Loading the models…</p>
      ) : (
        <Form gateway_id={gateway_id} consumer={consumer} send={send} models={known} />
      )}
    </>
  );
}
