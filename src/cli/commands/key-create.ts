/** portcullis key create: makes a key for a consumer or a collector. It is printed once and kept nowhere. */
import { localActor, perform } from "../../admin/perform.ts";
import { collectorKeys } from "../../contract/collector-keys.ts";
import { consumerKeys } from "../../contract/consumer-keys.ts";
import { AppError } from "../../contract/errors.ts";
import type { KeyEndpoints } from "../../contract/keys.ts";
import { collectorTable } from "../../db/collectors.ts";
import { changeConfig } from "../../db/config-revision.ts";
import { consumerTable } from "../../db/consumers.ts";
import type { Deps } from "../../deps.ts";
import { withInstallation } from "../../server/open-storage.ts";
import { type Command, STORAGE_SETTINGS } from "../command.ts";

export const keyCreateCommand: Command = {
  name: "key create",
  summary: "Create a key for a consumer or a collector",
  options: {
    consumer: { type: "string", summary: "The consumer's slug." },
    collector: { type: "string", summary: "Instead: the collector's name." },
    name: { type: "string", summary: "What people recognize it by. Default: the command line." },
    expires: { type: "string", summary: "RFC 3339 time at which it ends. Default: never." },
  },
  settings: STORAGE_SETTINGS,
  run: ({ settings, log }, { consumer, collector, name = "Made by the command line", expires }) => {
    if ((consumer === undefined) === (collector === undefined)) {
      throw new AppError("invalid_request", "Name one of --consumer and --collector.");
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
      const note = `Copy it now. From here on only "${made.hint}" is shown.`;
      return { text: `${made.key}\n\n${note}`, json: made };
    });
  },
};

interface Holder {
  keys: KeyEndpoints;
  params: Record<string, string>;
}

async function findConsumer(deps: Deps, slug: string): Promise<Holder> {
  const row = await consumerTable.find(deps.db, { slug });
  if (row) {
    return { keys: consumerKeys, params: { gateway_id: row.gateway_id, consumer_id: row.id } };
  }
  throw new AppError("not_found", `--consumer: there is no consumer with the slug "${slug}".`);
}

async function findCollector(deps: Deps, name: string): Promise<Holder> {
  const row = await collectorTable.find(deps.db, { name });
  if (row) return { keys: collectorKeys, params: { collector_id: row.id } };
  throw new AppError("not_found", `--collector: there is no collector with the name "${name}".`);
}
