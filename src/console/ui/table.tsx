/** Table with a caption, sortable columns and an empty state. */
import { type ReactNode, useEffect, useRef } from "react";
import { Icon } from "./icon.tsx";
import { showHidden } from "./show-hidden.ts";

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  /** Field that the server sorts by. */
  sort?: string;
  /** Aligned to the right. */
  number?: boolean;
  /** The cell is the header of its row. */
  rowHeader?: boolean;
}

export interface TableProps<Row extends { id: string }> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  empty: ReactNode;
  /** `name`, or `-name` for descending. */
  sort?: string | undefined;
  onSort?: (sort: string) => void;
}

export function Table<Row extends { id: string }>(props: TableProps<Row>) {
  const { caption, columns, rows, empty } = props;
  const { ref, onFocus, onBlur } = useFocusInside();
  if (rows.length === 0) {
    return (
      <div className="empty" ref={ref} tabIndex={-1}>
        {empty}
      </div>
    );
  }
  return (
    <section
      className="table"
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll a wide table
      tabIndex={0}
      {...{ ref, onFocus, onBlur }}
    >
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.head} column={column} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              {columns.map(({ head, cell, number, rowHeader }) =>
                rowHeader ? (
                  <th key={head} scope="row" data-label={head}>
                    {showHidden(cell(row))}
                  </th>
                ) : (
                  <td key={head} data-label={head} className={number ? "number" : undefined}>
                    {showHidden(cell(row))}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Moves the focus to the table when the focused row or button disappears. */
function useFocusInside() {
  const ref = useRef<HTMLDivElement>(null);
  const inside = useRef(false);
  useEffect(() => {
    if (inside.current && document.activeElement === document.body) ref.current?.focus();
  });
  return {
    ref,
    onFocus: () => {
      inside.current = true;
    },
    onBlur: () => {
      inside.current = document.activeElement === document.body;
    },
  };
}

function Head<Row extends { id: string }>({
  column: { head, sort: by, number },
  sort,
  onSort,
}: TableProps<Row> & { column: Column<Row> }) {
  const shape = number ? "number" : undefined;
  if (!by || !onSort) {
    return (
      <th scope="col" className={shape}>
        {head}
      </th>
    );
  }
  const order = sort === by ? "ascending" : sort === `-${by}` ? "descending" : "none";
  return (
    <th scope="col" className={shape} aria-sort={order}>
      <button
        type="button"
        className="sort"
        onClick={() => onSort(order === "ascending" ? `-${by}` : by)}
      >
        {head}
        {order !== "none" && <Icon name={order === "ascending" ? "up" : "down"} />}
      </button>
    </th>
  );
}
