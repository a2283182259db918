/** Console → Models: the model catalog with sizes, prices and retirement dates. */
import type { z } from "zod";
import type { CatalogModel, listModelCatalog } from "../../contract/gateway/model-catalog.ts";
import { modelCatalog, registries } from "../endpoints.ts";
import { changeQuery, useLocation } from "../router.tsx";
import { SelectField } from "../ui/fields/field.tsx";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import type { Column } from "../ui/table.tsx";
import { useLoad } from "../use-load.ts";
import { Price, Retirement, Tokens } from "./model-facts.tsx";

type CatalogQuery = Partial<z.input<typeof listModelCatalog.query>>;

const COLUMNS: Column<CatalogModel>[] = [
  {
    head: "Model",
    sort: "name",
    rowHeader: true,
    cell: ({ name, model, input_modalities }) => (
      <>
        {name}
        <div>
          <code>{model}</code>
        </div>
        <div className="hint">Input: {input_modalities.join(", ")}</div>
      </>
    ),
  },
  { head: "Provider", sort: "id", cell: ({ provider }) => <code>{provider}</code> },
  {
    head: "Context",
    sort: "context_window",
    number: true,
    cell: ({ context_window }) => <Tokens count={context_window} />,
  },
  {
    head: "Max output",
    sort: "max_output",
    number: true,
    cell: ({ max_output, mode }) => (mode === "embedding" ? "" : <Tokens count={max_output} />),
  },
  {
    head: "Input price",
    sort: "input_price",
    number: true,
    cell: ({ prices }) => <Price prices={prices} of="input" />,
  },
  {
    head: "Cached",
    number: true,
    cell: ({ prices }) => <Price prices={prices} of="cached_input" />,
  },
  {
    head: "Output price",
    sort: "output_price",
    number: true,
    cell: ({ prices, mode }) => (mode === "embedding" ? "" : <Price prices={prices} of="output" />),
  },
  {
    head: "Retirement",
    sort: "retires_on",
    cell: ({ retires_on }) => <Retirement on={retires_on} />,
  },
  {
    head: "Source",
    cell: ({ source, as_of }) => (
      <a href={source} target="_blank" rel="noreferrer" title={source}>
        <time dateTime={as_of}>{as_of}</time>
      </a>
    ),
  },
];

export function ModelsPage() {
  const { search } = useLocation();
  const provider = search.get("provider") ?? "";
  const kinds = useLoad("kinds", (read) => read(registries.kinds, { params: {} }));
  const names = kinds.state === "ready" ? kinds.value.items.map(({ kind }) => kind) : [];
  return (
    <Page
      title="Models"
      about="Known models of the providers. Prices are list prices in USD per million tokens, as of the date of their source."
    >
      <List
        caption="Models"
        what="The models"
        search="Search model"
        sorted="id"
        filters={
          <SelectField
            label="Provider"
            value={provider}
            options={[["", "Any"], ...names.map((name) => [name, name] as const)]}
            onChange={(value) => changeQuery({ provider: value, cursor: undefined })}
          />
        }
        load={(query, read) => {
          // The server rejects unknown values.
          const filters = { ...query, provider: provider || undefined } as CatalogQuery;
          return read(modelCatalog.list, { params: {}, query: filters });
        }}
        columns={COLUMNS}
        empty={<p>The catalog is empty.</p>}
      />
    </Page>
  );
}
