/** portcullis key create: creates a key for a consumer or a collector. It is printed once and not stored. */
import { localActor, perform } from "../../admin/perform.ts";
import { AppError } from "../../contract/errors.ts";
import { consumerKeys } from "../../contract/gateway/consumer-keys.ts";
import { collectorKeys } from "../../contract/guard/collector-keys.ts";
import type { KeyEndpoints } from "../../contract/keys.ts";
import { changeConfig } from "../../db/config-revision.ts";
import { collectorTable } from "../../db/tables/collectors.ts";
import { consumerTable } from "../../db/tables/consumers.ts";
import type { Deps } from "../../deps.ts";
import { withInstallation } from "../../server/open-storage.ts";
import { type Command, STORAGE_SETTINGS } from "../command.ts";

export const keyCreateCommand: Command = {
  name: "key create",
  summary: "Create a key for a consumer or a collector",
  options: {
    consumer: { type: "string", summary: "Slug of the consumer." },
    collector: { type: "string", summary: "Name of the collector, instead of --consumer." },
    name: { type: "string", summary: "Name of the key. Default: Created by the command line." },
    expires: { type: "string", summary: "Expiry, as an RFC 3339 time. Default: never." },
  },
  settings: STORAGE_SETTINGS,
  run: (
    { settings, log },
    { consumer, collector, name = "Created by the command line", expires },
  ) => {
    if ((consumer === undefined) === (collector === undefined)) {
      throw new AppError("invalid_request", "Set either --consumer or --collector.");
    }
    return withInstallation(settings, log, async (deps) => {
      const { keys, params } =
        collector === undefined
          ? await findConsumer(deps, String(consumer))
          : await findCollector(deps, String(collector));
      const made = await changeConfig(deps.db, (tx) =>
        perform<{ key: string; hint: string }>(
          { ...deps, db: tx },
          localActor("portcullis key create"),
          keys.create,
          { params, body: { name, expires_at: expires ?? null } },
        ),
      );
      const note = `Copy it now: it is not shown again, except for "${made.hint}".`;
      return { text: `${made.key}\n\n${note}`, json: made };
    });
  },
};

interface KeyOwner {
  keys: KeyEndpoints;
  params: Record<string, string>;
}

async function findConsumer(deps: Deps, slug: string): Promise<KeyOwner> {
  const row = await consumerTable.find(deps.db, { slug });
  if (row) {
    return { keys: consumerKeys, params: { gateway_id: row.gateway_id, consumer_id: row.id } };
  }
  throw new AppError("not_found", `--consumer: no consumer has the slug "${slug}".`);
}

async function findCollector(deps: Deps, name: string): Promise<KeyOwner> {
  const row = await collectorTable.find(deps.db, { name });
  if (row) return { keys: collectorKeys, params: { collector_id: row.id } };
  throw new AppError("not_found", `--collector: no collector has the name "${name}".`);
}
