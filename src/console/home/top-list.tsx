/** Table of the largest groups, each with a link to its events. */
import { Link } from "../router.tsx";

interface TopListProps {
  title: string;
  columns: readonly string[];
  rows: readonly { name: string; to: string; values: readonly (number | string)[] }[];
}

export function TopList({ title, columns, rows }: TopListProps) {
  return (
    <section className="top" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p className="hint">None in this range.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              {columns.map((column) => (
                <th key={column} scope="col" className="number">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, to, values }) => (
              <tr key={to}>
                <th scope="row">
                  <Link to={to}>{name}</Link>
                </th>
                {columns.map((column, index) => (
                  <td key={column} className="number">
                    {values[index]?.toLocaleString()}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
