/** What a change did, member by member. */

interface FieldChangesProps {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export function FieldChanges({ before, after }: FieldChangesProps) {
  const [was, is] = [leaves(before ?? {}), leaves(after ?? {})];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const changed = names.filter((name) => was[name] !== is[name]);
  return (
    <ChangesTable changes={changed.map((name) => ({ name, before: was[name], after: is[name] }))} />
  );
}

interface Change {
  name: string;
  /** Undefined: it was not there. */
  before: string | undefined;
  after: string | undefined;
}

export function ChangesTable({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="muted">No member changed.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard too
    <section className="table" aria-label="Changes" tabIndex={0}>
      <table className="changes">
        <caption className="visually-hidden">Members before and after the change</caption>
        <thead>
          <tr>
            <th scope="col">Member</th>
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

/** Nested members as `failover.max_attempts`; a list is one text. */
function leaves(value: Record<string, unknown>, prefix = ""): Record<string, string> {
  const entries = Object.entries(value).flatMap(([name, member]) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? // Checked above to be a plain object of JSON.
        Object.entries(leaves(member as Record<string, unknown>, `${prefix}${name}.`))
      : [[prefix + name, typeof member === "string" ? member : JSON.stringify(member)] as const],
  );
  return Object.fromEntries(entries);
}
