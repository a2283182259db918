/** MCP tools of the playground: lists the tools of the consumer, and calls one. */
import { useState } from "react";
import { AppError } from "../../contract/errors.ts";
import { createEventSplitter, readData } from "../../lib/http/split-events.ts";
import type { JsonObject } from "../../lib/json/json-object.ts";
import { ROOT_URL } from "../api.ts";
import { Link } from "../router.tsx";
import { type ObjectDraft, toObject, toObjectDraft } from "../tools/object-draft.ts";
import { ObjectField } from "../tools/object-field.tsx";
import { Badge } from "../ui/badge.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { SelectField } from "../ui/fields/field.tsx";
import { Ready } from "../ui/page.tsx";
import { useLoad } from "../use-load.ts";
import { ExchangeView } from "./exchange-view.tsx";
import type { PlaygroundFormProps } from "./playground-page.tsx";
import { readProblem } from "./send-as-consumer.ts";
import { SendButtons } from "./send-buttons.tsx";
import { useExchange } from "./use-exchange.ts";

interface Tool {
  name: string;
  description?: string;
  inputSchema?: { properties?: Record<string, { type?: string }>; required?: string[] };
}

interface ToolResult {
  content?: { type: string; text?: string }[];
  structuredContent?: unknown;
  isError?: boolean;
}

export function McpForm(props: PlaygroundFormProps) {
  const { gateway_id, consumer, send } = props;
  const tools = useLoad(consumer.id, async () => {
    const response = await send({ path: "/mcp", body: toMessage("tools/list", {}) });
    if (!response.ok) throw new Error(await readProblem(response));
    return (await readResult<{ tools?: Tool[] }>(response)).tools ?? [];
  });
  return (
    <Ready of={tools} what="The tools">
      {(all) =>
        all[0] ? (
          <ToolForm {...props} tools={all} />
        ) : (
          <p>
            This consumer has no MCP tools.{" "}
            <Link to={`/gateways/${gateway_id}/consumers/${consumer.id}`}>
              Attach an MCP registry to it.
            </Link>
          </p>
        )
      }
    </Ready>
  );
}

function ToolForm({
  gateway_id,
  consumer,
  send,
  tools,
}: PlaygroundFormProps & { tools: readonly Tool[] }) {
  const [name, setName] = useState(tools[0]?.name ?? "");
  const tool = tools.find((each) => each.name === name);
  const [given, setGiven] = useState(() => draftArguments(tool));
  const [result, setResult] = useState<ToolResult>();
  const exchange = useExchange(send);
  const { value, problem } = readArguments(given);
  const message = toMessage("tools/call", { name, arguments: value ?? {} });
  const select = (next: string) => {
    setName(next);
    setGiven(draftArguments(tools.find((each) => each.name === next)));
    setResult(undefined);
  };
  const submit = () =>
    exchange.run({ path: "/mcp", body: message }, async (response) =>
      setResult(await readResult<ToolResult>(response)),
    );
  return (
    <div className="playground">
      <div>
        <SelectField
          label="Tool"
          value={name}
          options={tools.map((each) => [each.name, each.name])}
          onChange={select}
        />
        {tool?.description && <p className="hint">{tool.description}</p>}
        <ObjectField
          key={name}
          label="Arguments"
          noun="argument"
          names={Object.keys(tool?.inputSchema?.properties ?? {})}
          draft={given}
          onChange={setGiven}
          problem={problem}
        />
        <SendButtons exchange={exchange} disabled={!value} onSend={submit} />
      </div>
      <div>
        {result && (
          <section aria-label="Result">
            {result.isError && (
              <Badge tone="bad" icon="warning" text="The tool returned an error" />
            )}
            <CodeBlock label="Result of the tool" text={describeResult(result)} />
          </section>
        )}
        <ExchangeView
          gateway_id={gateway_id}
          exchange={exchange}
          snippet={{
            url: new URL(`${consumer.slug}/mcp`, ROOT_URL).href,
            headers: { "X-AG-API-Key": "YOUR_CONSUMER_KEY", Accept: MCP_TYPES },
            json: message,
          }}
        />
      </div>
    </div>
  );
}

const MCP_TYPES = "application/json, text/event-stream";

const toMessage = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });

/** Reads the result of a JSON-RPC response, which is JSON or an event of a stream. */
async function readResult<Result>(response: Response): Promise<Result> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  const texts = isStream
    ? createEventSplitter().push(bytes).map(readData)
    : [new TextDecoder().decode(bytes)];
  for (const text of texts.filter((each) => each !== "")) {
    const message = JSON.parse(text) as { result?: Result; error?: { message: string } };
    if (message.error) throw new Error(message.error.message);
    if (message.result) return message.result;
  }
  throw new Error("The response has no result.");
}

/** Returns the arguments, or the first error in the fields. */
function readArguments(draft: ObjectDraft): { value?: JsonObject; problem?: string } {
  try {
    return { value: toObject(draft, "arguments") };
  } catch (thrown) {
    return { problem: AppError.from(thrown).message.replace("arguments: ", "") };
  }
}

const EMPTY_VALUES: Record<string, unknown> = {
  string: "",
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
};

/** Returns the required arguments of a tool, without values. */
function draftArguments(tool: Tool | undefined): ObjectDraft {
  const { properties = {}, required = [] } = tool?.inputSchema ?? {};
  const members = required.map((name) => [name, EMPTY_VALUES[properties[name]?.type ?? ""] ?? ""]);
  return toObjectDraft(Object.fromEntries(members));
}

function describeResult({ content = [], structuredContent }: ToolResult): string {
  if (structuredContent !== undefined) return JSON.stringify(structuredContent, null, 2);
  return content.map((part) => part.text ?? JSON.stringify(part)).join("\n");
}
