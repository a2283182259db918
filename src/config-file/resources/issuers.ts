/** Issuers of a gateway in a configuration file. */
import { issuers as endpoints, IssuerInput } from "../../contract/store/principals.ts";
import { issuerTable } from "../../db/tables/issuers.ts";
import { crudResource } from "../crud-resource.ts";

export const issuers = crudResource({
  list: "issuers",
  schema: IssuerInput,
  endpoints,
  table: issuerTable,
  parent: "gateway_id",
  identity: ({ name }: IssuerInput) => name,
});
