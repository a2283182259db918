/** Table of changed fields, before and after. */

interface FieldChangesProps {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export function FieldChanges({ before, after }: FieldChangesProps) {
  const [old, current] = [flatten(before ?? {}), flatten(after ?? {})];
  const names = [...new Set([...Object.keys(old), ...Object.keys(current)])];
  const changed = names.filter((name) => old[name] !== current[name]);
  return (
    <ChangesTable
      changes={changed.map((name) => ({ name, before: old[name], after: current[name] }))}
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
                <code>{name}</code>
              </th>
              <td>{before === undefined ? NONE : <del>{before}</del>}</td>
              <td>{after === undefined ? NONE : <ins>{after}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const NONE = <span className="muted">none</span>;

/** Returns nested fields by path, such as `failover.max_attempts`; a list is one JSON text. */
function flatten(value: Record<string, unknown>, prefix = ""): Record<string, string> {
  const entries = Object.entries(value).flatMap(([name, field]) =>
    typeof field === "object" && field !== null && !Array.isArray(field)
      ? // Checked above to be a plain object of JSON.
        Object.entries(flatten(field as Record<string, unknown>, `${prefix}${name}.`))
      : [[prefix + name, typeof field === "string" ? field : JSON.stringify(field)] as const],
  );
  return Object.fromEntries(entries);
}
