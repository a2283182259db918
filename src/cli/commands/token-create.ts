/** portcullis token create: creates an administrator token. It is printed once and not stored. */
import { localActor, perform } from "../../admin/perform.ts";
import { AppError } from "../../contract/errors.ts";
import { type AdminToken, createToken } from "../../contract/tokens.ts";
import { changeConfig } from "../../db/config-revision.ts";
import { gatewayTable } from "../../db/tables/gateways.ts";
import type { Deps } from "../../deps.ts";
import { withInstallation } from "../../server/open-storage.ts";
import { type Command, STORAGE_SETTINGS } from "../command.ts";

export const tokenCreateCommand: Command = {
  name: "token create",
  summary: "Create an administrator token",
  options: {
    name: { type: "string", summary: "Name of the token. Required." },
    role: { type: "string", summary: "owner, admin, approver, auditor or viewer. Default: admin." },
    gateways: {
      type: "string",
      summary: "Slugs of the gateways it is limited to, separated by commas. Default: all.",
    },
    expires: { type: "string", summary: "Expiry, as an RFC 3339 time. Default: never." },
  },
  settings: STORAGE_SETTINGS,
  run: ({ settings, log }, { name, role = "admin", gateways, expires }) =>
    withInstallation(settings, log, async (deps) => {
      const body = {
        name,
        role,
        gateway_ids: typeof gateways === "string" ? await gatewayIds(deps, gateways) : null,
        expires_at: expires ?? null,
      };
      const made = await changeConfig(deps.db, (tx) =>
        perform<AdminToken & { token: string }>(
          { ...deps, db: tx },
          localActor("portcullis token create"),
          createToken,
          { body },
        ),
      );
      const note = `Copy it now: it is not shown again, except for "${made.hint}".`;
      return { text: `${made.token}\n\n${note}`, json: made };
    }),
};

function gatewayIds(deps: Deps, slugs: string): Promise<string[]> {
  return Promise.all(
    slugs.split(",").map(async (slug) => {
      const row = await gatewayTable.find(deps.db, { slug: slug.trim() });
      if (row) return row.id;
      const text = `--gateways: no gateway has the slug "${slug.trim()}".`;
      throw new AppError("not_found", text);
    }),
  );
}
