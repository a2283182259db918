/** portcullis key create: makes a key for a consumer. It is printed once and kept nowhere. */
import { localActor, perform } from "../../admin/perform.ts";
import { type ConsumerKey, createConsumerKey } from "../../contract/consumer-keys.ts";
import { AppError } from "../../contract/errors.ts";
import { changeConfig } from "../../db/config-revision.ts";
import { consumerTable } from "../../db/consumers.ts";
import { withInstallation } from "../../server/open.ts";
import type { Command } from "../command.ts";

export const keyCreate: Command = {
  name: "key create",
  summary: "Create a key for a consumer",
  options: {
    consumer: { type: "string", summary: "The consumer's slug. Required." },
    name: { type: "string", summary: "What people recognise it by. Default: the command line." },
    expires: { type: "string", summary: "RFC 3339 time at which it ends. Default: never." },
  },
  run: ({ settings, log }, { consumer, name = "Made by the command line", expires }) =>
    withInstallation(settings, log, async (deps) => {
      const slug = String(consumer ?? "");
      const row = slug ? await consumerTable.find(deps.db, { slug }) : undefined;
      if (!row) {
        throw new AppError(
          "not_found",
          `--consumer: there is no consumer with the slug "${slug}".`,
        );
      }
      const made = await changeConfig(deps.db, (tx) =>
        perform<ConsumerKey & { key: string }>(
          { ...deps, db: tx },
          localActor("portcullis key create"),
          createConsumerKey,
          {
            params: { gateway_id: row.gateway_id, consumer_id: row.id },
            body: { name, expires_at: expires ?? null },
          },
        ),
      );
      const note = `Copy it now. From here on only "${made.hint}" is shown.`;
      return { text: `${made.key}\n\n${note}`, json: made };
    }),
};
