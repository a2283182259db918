/** Policies in a configuration file. */
import { pickInput } from "../../admin/pick-input.ts";
import { policies as endpoints, PolicyInput, type Rule } from "../../contract/guard/policies.ts";
import { policyTable } from "../../db/tables/policies.ts";
import { crudResource } from "../crud-resource.ts";
import { loadNames, resolveName } from "../references.ts";
import { ConfigPolicy } from "../schema.ts";

export const policies = crudResource({
  list: "policies",
  schema: ConfigPolicy,
  endpoints,
  table: policyTable,
  async reader(deps) {
    const names = await loadNames(deps, "detector");
    const toFileRule = ({ detector_id, ...rule }: Rule) => ({
      detector: names.get(detector_id) ?? "",
      ...rule,
    });
    return (row): ConfigPolicy => ({
      ...pickInput(PolicyInput, row),
      input_rules: row.input_rules.map(toFileRule),
      output_rules: row.output_rules.map(toFileRule),
    });
  },
  identity: ({ name }) => name,
  async toBody(deps, item) {
    const toRules = (list: "input_rules" | "output_rules") =>
      Promise.all(
        item[list].map(async ({ detector, ...rule }, index) => {
          const path = `${list}[${index}].detector`;
          return { detector_id: await resolveName(deps, "detector", detector, path), ...rule };
        }),
      );
    const input_rules = await toRules("input_rules");
    return { ...item, input_rules, output_rules: await toRules("output_rules") };
  },
});
