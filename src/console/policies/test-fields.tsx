/** Fields of a policy test: content in fields by default, a JSON payload for experts. */
import type { AppError } from "../../contract/errors.ts";
import type { CONDITION_FIELDS } from "../../contract/guard/conditions.ts";
import type { Direction, Protocol } from "../../contract/guard/evaluate.ts";
import { type ObjectDraft, toObject, toObjectDraft } from "../tools/object-draft.ts";
import { ObjectField } from "../tools/object-field.tsx";
import { newTool, type ToolsDraft, toTools } from "../tools/tool-draft.ts";
import { ToolsField } from "../tools/tools-field.tsx";
import { AreaField, SelectField, TextField } from "../ui/fields/field.tsx";
import { findProblem, findProblemsBelow } from "../ui/find-problem.ts";
import { parseJson } from "../ui/parse-json.ts";
import { COMMAND, SAMPLES } from "./payload-samples.ts";
import { FIELD_LABELS } from "./policy-sentences.ts";
import { CONTENT_KINDS, type ContentKindName, findKind } from "./test-content.ts";

export interface TestInput {
  /** `json`: the payload as it is sent. */
  kind: ContentKindName | "json";
  text: string;
  /** Name of the called tool. */
  tool: string;
  arguments: ObjectDraft;
  tools: ToolsDraft;
  sample: string;
  payload: string;
  direction: Direction;
  protocol: Protocol;
  consumer_id: string;
  attributes: ObjectDraft;
}

export const newTestInput = (suggested: Partial<TestInput>): TestInput => ({
  kind: "user",
  text: CONTENT_KINDS.user.example,
  tool: "bash",
  arguments: toObjectDraft(COMMAND),
  tools: { tools: [newTool()] },
  ...toSampleInput(Object.keys(SAMPLES)[0] ?? ""),
  consumer_id: "",
  attributes: toObjectDraft({}),
  ...suggested,
});

/** Returns the request, and the path of the content in its payload. Throws if a field is invalid. */
export function toTestRequest(input: TestInput): {
  payload: Record<string, unknown>;
  direction: Direction;
  protocol: Protocol;
  path: readonly string[];
} {
  const { kind, text, tool } = input;
  if (kind === "json") {
    // The server rejects values that are not objects.
    const payload = parseJson(input.payload, "payload") as Record<string, unknown>;
    return { payload, direction: input.direction, protocol: input.protocol, path: [] };
  }
  const { toPayload, direction, protocol, path } = findKind(kind);
  const payload = toPayload({
    text,
    tool,
    arguments: () => toObject(input.arguments, "arguments"),
    tools: () => toTools(input.tools, "tools"),
  });
  return { payload, direction, protocol, path };
}

interface TestFieldsProps {
  input: TestInput;
  onChange: (changes: Partial<TestInput>) => void;
  error: AppError | undefined;
}

const KINDS = [
  ...Object.entries(CONTENT_KINDS).map(([name, { label }]) => [name, label] as const),
  ["json", "JSON payload"] as const,
];

export function TestFields({ input, onChange, error }: TestFieldsProps) {
  const { kind, consumer_id, attributes } = input;
  return (
    <>
      <SelectField
        label="Content"
        value={kind}
        options={KINDS}
        // The options are the keys of CONTENT_KINDS, and json.
        onChange={(value) => onChange(switchKind(input, value as TestInput["kind"]))}
      />
      {kind === "json" ? (
        <PayloadFields {...{ input, onChange, error }} />
      ) : (
        <ContentFields {...{ input, onChange, error }} fields={findKind(kind).fields} />
      )}
      <details className="field">
        <summary>Consumer and attributes</summary>
        <TextField
          label="Consumer ID (optional)"
          value={consumer_id}
          onChange={(value) => onChange({ consumer_id: value })}
          problem={findProblem(error, "consumer_id")}
        />
        <ObjectField
          label="Attributes (optional)"
          hint="Attributes that conditions compare, such as the model."
          noun="attribute"
          choices={ATTRIBUTES.map((name) => [name, FIELD_LABELS[name]] as const)}
          draft={attributes}
          onChange={(value) => onChange({ attributes: value })}
          problem={findProblemsBelow(error, "attributes")}
        />
      </details>
    </>
  );
}

/** Attributes that an application sends beside the payload. */
const ATTRIBUTES: readonly (typeof CONDITION_FIELDS)[number][] = [
  "model.name",
  "model.provider",
  "consumer.name",
  "consumer.tag",
  "consumer.type",
  "collector.type",
  "source.application",
  "hook.event",
  "tool.name",
  "tool.command",
];

function ContentFields({
  input: { text, tool, arguments: given, tools },
  onChange,
  error,
  fields,
}: TestFieldsProps & { fields: "text" | "call" | "tools" }) {
  const problem = findProblemsBelow(error, "payload");
  if (fields === "text") {
    return (
      <AreaField
        label="Text"
        required
        rows={10}
        value={text}
        onChange={(value) => onChange({ text: value })}
        problem={problem}
      />
    );
  }
  if (fields === "tools") {
    return (
      <ToolsField
        label="Tools"
        hint="Definitions of the tools that an application offers to a model."
        draft={tools}
        onChange={(value) => onChange({ tools: value })}
        error={error}
        at="tools"
      />
    );
  }
  return (
    <>
      <TextField
        label="Tool name"
        required
        value={tool}
        onChange={(value) => onChange({ tool: value })}
      />
      <ObjectField
        label="Arguments"
        noun="argument"
        draft={given}
        onChange={(value) => onChange({ arguments: value })}
        problem={findProblem(error, "arguments") ?? problem}
      />
    </>
  );
}

const DIRECTIONS: Record<Direction, string> = { input: "input", output: "output" };
const PROTOCOLS: Record<Protocol, string> = { all: "all", llm: "llm", mcp: "mcp", a2a: "a2a" };

function PayloadFields({ input, onChange, error }: TestFieldsProps) {
  const { sample, payload, direction, protocol } = input;
  return (
    <>
      <SelectField
        label="Sample"
        value={sample}
        options={Object.keys(SAMPLES).map((name) => [name, name] as const)}
        onChange={(name) => onChange(toSampleInput(name))}
      />
      <AreaField
        label="Payload"
        code
        required
        rows={14}
        value={payload}
        onChange={(value) => onChange({ payload: value })}
        problem={findProblemsBelow(error, "payload")}
      />
      <div className="columns">
        <SelectField
          label="Direction"
          value={direction}
          options={Object.entries(DIRECTIONS)}
          // The options are the keys of DIRECTIONS.
          onChange={(value) => onChange({ direction: value as Direction })}
        />
        <SelectField
          label="Protocol"
          value={protocol}
          options={Object.entries(PROTOCOLS)}
          // The options are the keys of PROTOCOLS.
          onChange={(value) => onChange({ protocol: value as Protocol })}
        />
      </div>
    </>
  );
}

/** Replaces an unchanged example by that of the new kind; JSON starts with the payload of the fields. */
function switchKind(input: TestInput, kind: TestInput["kind"]): Partial<TestInput> {
  if (kind === "json") return { kind, ...formatPayload(input) };
  const { example } = findKind(kind);
  return { kind, ...(example && EXAMPLES.has(input.text) && { text: example }) };
}

const EXAMPLES = new Set(
  Object.values(CONTENT_KINDS).flatMap((kind) => ("example" in kind ? [String(kind.example)] : [])),
);

/** Returns nothing if a field is invalid. */
function formatPayload(input: TestInput): Partial<TestInput> {
  try {
    const { payload, direction, protocol } = toTestRequest(input);
    return { payload: JSON.stringify(payload, null, 2), direction, protocol };
  } catch {
    return {};
  }
}

function toSampleInput(sample: string) {
  const { payload, direction, protocol } = SAMPLES[sample] ?? {};
  return {
    sample,
    payload: JSON.stringify(payload ?? {}, null, 2),
    direction: direction ?? "input",
    protocol: protocol ?? "llm",
  } as const;
}
