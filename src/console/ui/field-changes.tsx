/** Table of changed fields, before and after. */
import { showControls } from "../../lib/text/show-controls.ts";
import { flattenFields } from "./flatten-fields.ts";

interface FieldChangesProps {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export function FieldChanges({ before, after }: FieldChangesProps) {
  const [old, current] = [flattenFields(before ?? {}), flattenFields(after ?? {})];
  const names = [...new Set([...old.keys(), ...current.keys()])];
  const changed = names.filter((name) => old.get(name) !== current.get(name));
  return (
    <ChangesTable
      changes={changed.map((name) => ({
        name,
        before: old.get(name),
        after: current.get(name),
      }))}
    />
  );
}

interface FieldChange {
  name: string;
  /** Undefined: the field did not exist. */
  before: string | undefined;
  after: string | undefined;
}

export function ChangesTable({ changes }: { changes: readonly FieldChange[] }) {
  if (changes.length === 0) return <p className="muted">No field changed.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll a wide table
    <section className="table" aria-label="Changes" tabIndex={0}>
      <table className="changes">
        <caption className="visually-hidden">Fields before and after the change</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ name, before, after }) => (
            <tr key={name}>
              <th scope="row">
                <code>{showControls(name)}</code>
              </th>
              <td>{before === undefined ? NONE : <del>{showControls(before)}</del>}</td>
              <td>{after === undefined ? NONE : <ins>{showControls(after)}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const NONE = <span className="muted">none</span>;
