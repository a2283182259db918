/** Button that opens the view of a list: its order, its columns and the saved views. */
import { useId, useState } from "react";
import { CheckField, SelectField, TextField } from "./fields/field.tsx";
import { Icon } from "./icon.tsx";
import type { ListView } from "./use-list-view.ts";

interface ViewMenuProps<Row> {
  view: ListView<Row>;
  /** `name`, or `-name` for descending. */
  sort?: string | undefined;
  onSort?: (sort: string) => void;
}

export function ViewMenu<Row>({ view, sort, onSort }: ViewMenuProps<Row>) {
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button view-button"
        popoverTarget={id}
        aria-haspopup="dialog"
      >
        <Icon name="settings" /> View
      </button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label="View"
        className="popover view"
        onBeforeToggle={({ newState }) => newState === "open" && setOpen(true)}
        // Afterwards, because the browser moves the focus from the content to the button first.
        onToggle={({ newState }) => newState === "closed" && setOpen(false)}
      >
        {open && (
          <>
            {onSort && <SortField view={view} sort={sort} onSort={onSort} />}
            <fieldset className="plain">
              <legend>Columns</legend>
              {view.all.map(({ head }, index) => (
                <CheckField
                  key={head}
                  label={head}
                  checked={view.columns.some((column) => column.head === head)}
                  disabled={index === 0}
                  onChange={(visible) => view.show(head, visible)}
                />
              ))}
            </fieldset>
            <SavedViews view={view} popoverId={id} />
          </>
        )}
      </div>
    </>
  );
}

type SortFieldProps<Row> = ViewMenuProps<Row> & Required<Pick<ViewMenuProps<Row>, "onSort">>;

/** On phones, where rows are cards, the only way to change the order. */
function SortField<Row>({ view, sort = "", onSort }: SortFieldProps<Row>) {
  const options = view.all.flatMap(({ head, sort: by }) =>
    by
      ? ([
          [by, `${head}, ascending`],
          [`-${by}`, `${head}, descending`],
        ] as const)
      : [],
  );
  if (options.length === 0) return null;
  return (
    <SelectField
      label="Sort by"
      value={sort}
      options={
        options.some(([value]) => value === sort) ? options : [[sort, "Default"], ...options]
      }
      onChange={onSort}
    />
  );
}

function SavedViews<Row>({ view, popoverId }: { view: ListView<Row>; popoverId: string }) {
  const [name, setName] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        view.save(name.trim());
        setName("");
      }}
    >
      {view.views.length > 0 && (
        <ul aria-label="Saved views">
          {view.views.map((saved) => (
            <li key={saved.name} className="row tight">
              <button
                type="button"
                className="button quiet"
                popoverTarget={popoverId}
                popoverTargetAction="hide"
                onClick={() => view.apply(saved)}
              >
                {saved.name}
              </button>
              <button
                type="button"
                className="button quiet"
                aria-label={`Remove the view ${saved.name}`}
                onClick={() => view.remove(saved.name)}
              >
                <Icon name="cross" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <TextField
        label="Save the current view as"
        hint="Filters, order and columns, in this browser."
        value={name}
        onChange={setName}
        required
        autoComplete="off"
      />
      <button type="submit" className="button small">
        Save view
      </button>
    </form>
  );
}
