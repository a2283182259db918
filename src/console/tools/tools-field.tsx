/** Form of tool definitions: name, description and parameters of each, with JSON as a second view. */
import type { AppError } from "../../contract/errors.ts";
import { AreaField, TextField } from "../ui/fields/field.tsx";
import { findProblem } from "../ui/find-problem.ts";
import { Icon } from "../ui/icon.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { tryParseJson } from "../ui/parse-json.ts";
import { ParametersField } from "./parameters-field.tsx";
import { newTool, type ToolDraft, type ToolsDraft, toTools, toToolsDraft } from "./tool-draft.ts";

interface ToolsFieldProps {
  label: string;
  hint: string;
  draft: ToolsDraft;
  onChange: (draft: ToolsDraft) => void;
  error: AppError | undefined;
  /** Path of the tools in the request body. */
  at: string;
}

export function ToolsField({ label, hint, draft, onChange, error, at }: ToolsFieldProps) {
  const tools = "tools" in draft ? draft.tools : [];
  const replace = (index: number, next: readonly ToolDraft[]) =>
    onChange({ tools: tools.toSpliced(index, 1, ...next) });
  return (
    <fieldset className="field pairs">
      <legend>{label}</legend>
      <p className="hint">{hint}</p>
      <JsonView
        label={label}
        what="a list of tools"
        edited={"json" in draft ? draft.json : undefined}
        format={() => JSON.stringify(toTools(draft, at), null, 2)}
        onEdit={(json) => onChange({ json })}
        onShowFields={(text) => {
          const read = toToolsDraft(tryParseJson(text));
          if (read) onChange(read);
          return read !== undefined;
        }}
        problem={findProblem(error, at)}
      >
        {tools.length > 0 && (
          <ol className="attached">
            {tools.map((tool, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: tools have no other identity
              <li key={index}>
                <ToolFields
                  tool={tool}
                  number={index + 1}
                  onChange={(next) => replace(index, [next])}
                  onRemove={() => replace(index, [])}
                  error={error}
                  at={`${at}[${index}]`}
                />
              </li>
            ))}
          </ol>
        )}
        <button
          type="button"
          className="button small"
          onClick={() => onChange({ tools: [...tools, newTool()] })}
        >
          <Icon name="plus" /> Add tool
        </button>
      </JsonView>
    </fieldset>
  );
}

interface ToolFieldsProps {
  tool: ToolDraft;
  number: number;
  onChange: (tool: ToolDraft) => void;
  onRemove: () => void;
  error: AppError | undefined;
  at: string;
}

function ToolFields({ tool, number, onChange, onRemove, error, at }: ToolFieldsProps) {
  return (
    <fieldset className="plain">
      <legend className="visually-hidden">Tool {number}</legend>
      <div className="attached-head">
        <strong aria-hidden="true">Tool {number}</strong>
        <div className="attached-acts">
          <button
            type="button"
            className="button quiet"
            aria-label={`Remove tool ${number}`}
            onClick={onRemove}
          >
            <Icon name="cross" />
          </button>
        </div>
      </div>
      {"json" in tool ? (
        <AreaField
          label="Definition (JSON)"
          code
          rows={Math.min(12, tool.json.split("\n").length + 1)}
          value={tool.json}
          onChange={(json) => onChange({ json })}
          problem={findProblem(error, at)}
        />
      ) : (
        <>
          <TextField
            label="Name"
            required
            value={tool.name}
            onChange={(name) => onChange({ ...tool, name })}
            problem={findProblem(error, `${at}.name`)}
          />
          <AreaField
            label="Description"
            rows={2}
            value={tool.description}
            onChange={(description) => onChange({ ...tool, description })}
          />
          <ParametersField
            label="Parameters"
            hint=""
            shape={tool.parameters}
            onChange={(parameters) => onChange({ ...tool, parameters })}
            error={error}
            at={`${at}.parameters`}
          />
        </>
      )}
    </fieldset>
  );
}
