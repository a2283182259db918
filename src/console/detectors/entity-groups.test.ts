import { expect, test } from "bun:test";
import { DEFAULT_ENTITIES, ENTITY_NAMES } from "../../policy/dlp/entities.ts";
import { ENTITY_GROUPS, toEntityLabel } from "./entity-groups.ts";

test("every kind of personal data is in one group, and the default groups are the default kinds", () => {
  const names = (groups: typeof ENTITY_GROUPS) => groups.flatMap((group) => group.names).toSorted();

  expect(names(ENTITY_GROUPS)).toEqual([...ENTITY_NAMES].toSorted());
  expect(names(ENTITY_GROUPS.filter(({ isDefault }) => isDefault))).toEqual(
    [...DEFAULT_ENTITIES].toSorted(),
  );
});

test("abbreviations in a label are upper case", () => {
  const labels = ["brazilian_cpf", "credit_card", "ip6_address", "us_npi"].map(toEntityLabel);

  expect(labels).toEqual(["Brazilian CPF", "Credit card", "IPv6 address", "US NPI"]);
});
