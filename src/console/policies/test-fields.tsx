/** Fields of a policy test: plain text by default, a JSON payload for experts. */
import type { AppError } from "../../contract/errors.ts";
import type { Direction, Protocol } from "../../contract/guard/evaluate.ts";
import { AreaField, SelectField, TextField } from "../ui/field.tsx";
import { findProblem, findProblemsBelow } from "../ui/find-problem.ts";
import { parseJson } from "../ui/parse-json.ts";
import { PAYMENT, SAMPLES } from "./payload-samples.ts";
import { TEXT_KINDS, type TextKindName } from "./test-content.ts";

export interface TestInput {
  /** `json`: the payload as it is sent. */
  kind: TextKindName | "json";
  text: string;
  /** Name of the called tool. */
  tool: string;
  sample: string;
  payload: string;
  direction: Direction;
  protocol: Protocol;
  consumer_id: string;
  attributes: string;
}

export const newTestInput = (suggested: Partial<TestInput>): TestInput => ({
  kind: "user",
  text: TEXT_KINDS.user.example,
  tool: "bash",
  ...toSampleInput(Object.keys(SAMPLES)[0] ?? ""),
  consumer_id: "",
  attributes: "",
  ...suggested,
});

/** Returns the request, and the path of the text in its payload. Throws if the payload is not JSON. */
export function toTestRequest({ kind, text, tool, payload, direction, protocol }: TestInput): {
  payload: Record<string, unknown>;
  direction: Direction;
  protocol: Protocol;
  path: readonly string[];
} {
  if (kind === "json") {
    // The server rejects values that are not objects.
    const parsed = parseJson(payload, "payload") as Record<string, unknown>;
    return { payload: parsed, direction, protocol, path: [] };
  }
  const { toPayload, path, ...rest } = TEXT_KINDS[kind];
  return {
    payload: toPayload(text, tool),
    direction: rest.direction,
    protocol: rest.protocol,
    path,
  };
}

interface TestFieldsProps {
  input: TestInput;
  onChange: (changes: Partial<TestInput>) => void;
  error: AppError | undefined;
}

const KINDS = [
  ...Object.entries(TEXT_KINDS).map(([name, { label }]) => [name, label] as const),
  ["json", "JSON payload"] as const,
];

export function TestFields({ input, onChange, error }: TestFieldsProps) {
  const { kind, text, tool, consumer_id, attributes } = input;
  return (
    <>
      <SelectField
        label="Content"
        value={kind}
        options={KINDS}
        // The options are the keys of TEXT_KINDS, and json.
        onChange={(value) => onChange(switchKind(input, value as TestInput["kind"]))}
      />
      {kind === "json" ? (
        <PayloadFields {...{ input, onChange, error }} />
      ) : (
        <>
          {kind === "call" && (
            <TextField
              label="Tool name"
              required
              value={tool}
              onChange={(value) => onChange({ tool: value })}
            />
          )}
          <AreaField
            label={kind === "call" ? "Arguments" : "Text"}
            {...(kind === "call" && {
              code: true,
              hint: "A JSON object. Other text is sent as the argument “input”.",
            })}
            required
            rows={10}
            value={text}
            onChange={(value) => onChange({ text: value })}
            problem={findProblemsBelow(error, "payload")}
          />
        </>
      )}
      <details className="field">
        <summary>Consumer and attributes</summary>
        <TextField
          label="Consumer ID (optional)"
          value={consumer_id}
          onChange={(value) => onChange({ consumer_id: value })}
          problem={findProblem(error, "consumer_id")}
        />
        <AreaField
          label="Attributes (optional)"
          code
          rows={3}
          hint='For conditions, as JSON: {"tool": {"name": "bash"}, "model": {"name": "…"}}'
          value={attributes}
          onChange={(value) => onChange({ attributes: value })}
          problem={findProblemsBelow(error, "attributes")}
        />
      </details>
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

/** Replaces an unchanged example by that of the new kind; JSON starts with the payload of the text. */
function switchKind(input: TestInput, kind: TestInput["kind"]): Partial<TestInput> {
  if (kind === "json") {
    const { payload, direction, protocol } = toTestRequest(input);
    return { kind, payload: JSON.stringify(payload, null, 2), direction, protocol };
  }
  const examples = Object.values(TEXT_KINDS).map(({ example }): string => example);
  const isExample = [...examples, JSON.stringify(PAYMENT, null, 2)].includes(input.text);
  return { kind, ...(isExample && { text: TEXT_KINDS[kind].example }) };
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
