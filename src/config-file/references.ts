/** Resolves the names by which items of a configuration file refer to each other. */
import { AppError } from "../contract/errors.ts";
import type { Db } from "../db/db.ts";
import { collectorTable } from "../db/tables/collectors.ts";
import { detectorTable } from "../db/tables/detectors.ts";
import { gatewayTable } from "../db/tables/gateways.ts";
import { policyTable } from "../db/tables/policies.ts";

const NAMED = { collector: collectorTable, detector: detectorTable, policy: policyTable };
type Noun = "gateway" | keyof typeof NAMED;

/** Returns the names by id; those of gateways are their slugs. */
export async function loadNames({ db }: { db: Db }, noun: Noun): Promise<Map<string, string>> {
  if (noun === "gateway") {
    return new Map((await gatewayTable.all(db)).map(({ id, slug }) => [id, slug]));
  }
  return new Map((await NAMED[noun].all(db)).map(({ id, name }) => [id, name]));
}

/** Returns the id of the resource that the member `path` names. An earlier step may have created it. */
export async function resolveName(
  { db }: { db: Db },
  noun: Noun,
  name: string,
  path: string,
): Promise<string> {
  const row =
    noun === "gateway"
      ? await gatewayTable.find(db, { slug: name })
      : await NAMED[noun].find(db, { name });
  if (!row) throw unknownName(path, noun, name);
  return row.id;
}

export const unknownName = (path: string, noun: string, name: string): AppError =>
  new AppError("validation_failed", `${path}: unknown ${noun} "${name}"`);
