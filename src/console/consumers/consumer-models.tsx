/** Models that a consumer can use, and the registries that serve them. */
import type { Consumer } from "../../contract/gateway/consumers.ts";
import type { ConsumerModel } from "../../contract/gateway/model-catalog.ts";
import { consumers } from "../endpoints.ts";
import { Price, Retirement, Tokens } from "../models/model-facts.tsx";
import { Link } from "../router.tsx";
import { List } from "../ui/list.tsx";
import type { Column } from "../ui/table.tsx";

const columnsOf = (gateway_id: string): Column<ConsumerModel>[] => [
  {
    head: "Model",
    rowHeader: true,
    cell: ({ id, name }) => (
      <>
        <code>{id}</code>
        {name !== id && <div>{name}</div>}
      </>
    ),
  },
  {
    head: "Registries",
    cell: ({ id, registries }) => (
      <ul className="entries">
        {registries.map((registry) => (
          <li key={registry.id}>
            <Link to={`/gateways/${gateway_id}/registries/${registry.id}`}>{registry.name}</Link>
            {registry.model !== id && (
              <>
                {" "}
                as <code>{registry.model}</code>
              </>
            )}
          </li>
        ))}
      </ul>
    ),
  },
  {
    head: "Capabilities",
    cell: ({ capabilities }) => capabilities.join(", ").replaceAll("_", " "),
  },
  {
    head: "Context",
    number: true,
    cell: ({ catalog }) => <Tokens count={catalog?.context_window} />,
  },
  {
    head: "Input price",
    number: true,
    cell: ({ catalog }) => <Price prices={catalog?.prices} of="input" />,
  },
  {
    head: "Output price",
    number: true,
    cell: ({ catalog }) => <Price prices={catalog?.prices} of="output" />,
  },
  { head: "Retirement", cell: ({ retires_on }) => <Retirement on={retires_on} /> },
];

export function ConsumerModels({ consumer }: { consumer: Consumer }) {
  const { gateway_id, id: consumer_id } = consumer;
  return (
    <>
      <p>
        Models that clients of this consumer can name, as <code>GET /v1/models</code> lists them.
        Prices are list prices in USD per million tokens.
      </p>
      <List
        caption="Models of the consumer"
        what="The models"
        search="Search model"
        load={({ q, cursor }, read) =>
          read(consumers.models, { params: { gateway_id, consumer_id }, query: { q, cursor } })
        }
        columns={columnsOf(gateway_id)}
        empty={<p>No models. Attach a registry under Routing, or check its model list.</p>}
      />
    </>
  );
}
