/** Wire shapes of Store installs: installing or requesting a server, and the operations on installs (spec 4.1). */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { ServerField } from "./mcp-registries.ts";
import { Id, PageQuery, page, SecretText, Text, Time, WellFormedText } from "./shapes.ts";
import { Group, Groups, PrincipalSub } from "./store-access.ts";

export const INSTALL_STATUSES = ["installed", "pending_approval", "not_installed"] as const;

const MAX_REASON = 1000;

/** Blank counts as absent. Characters are code points, as JSON Schema counts them. */
export const Reason = WellFormedText.trim()
  .max(2 * MAX_REASON)
  .refine((text) => [...text].length <= MAX_REASON, `must have at most ${MAX_REASON} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Postgres cannot store it
  .regex(/^[^\u0000]*$/, "must not contain NUL")
  .meta({ maxLength: MAX_REASON });

/** Unknown members are ignored. */
const InstallMembers = z.object({
  code: Text.trim().min(1).max(200).describe("Which Store server."),
  principal_sub: PrincipalSub,
  groups: Groups.optional().describe("Groups of the principal. Left out: those last seen."),
  instance_id: Id.or(z.literal(""))
    .optional()
    .describe("Which instance: the id of an MCP registry. Empty counts as left out."),
  reason: Reason.optional().describe(
    "Why the user wants it, in their words. Kept only on a request that an approver decides.",
  ),
});

/** The description marks no member as required; one that is missing is a 422 of the operation. */
export const InstallRequest = InstallMembers.partial().pipe(InstallMembers);
export type InstallRequest = z.output<typeof InstallRequest>;

export const InstanceChoice = z.object({ name: z.string(), registry_id: Id });
export type InstanceChoice = z.infer<typeof InstanceChoice>;

export const InstallReply = z.object({
  already_installed: z.boolean(),
  code: z.string(),
  instance_choices: z.array(InstanceChoice).describe("When more than one instance could be meant."),
  instance_id: z.string().describe("The MCP registry; empty while none is decided."),
  name: z.string(),
  pending: z.boolean().describe("An approver must decide."),
  requires_admin_setup: z.boolean().describe("An administrator must make or enable an instance."),
  requires_auth: z.boolean().describe("The principal must connect an account."),
  requires_config: z.boolean().describe("The principal must fill in fields."),
  requires_instance_choice: z.boolean().describe("Call again with one of `instance_choices`."),
  requires_reason: z
    .boolean()
    .describe("Outside the principal's access: ask why, and call again with `reason`."),
  status: z.enum(INSTALL_STATUSES),
});
export type InstallReply = z.infer<typeof InstallReply>;

const path = "/v1/gateways/:gateway_id/store/principal/installs";
const one = `${path}/:install_id` as const;

export const installForPrincipal = endpoint({
  name: "install_for_principal",
  method: "POST",
  path,
  auth: "write",
  summary: "Install a Store server for a principal, or record a request for an approver",
  body: InstallRequest,
  reply: InstallReply,
  configures: false,
});

const INSTALL_STATES = ["active", "suspended"] as const;

export const Install = z.object({
  id: Id,
  gateway_id: Id,
  principal_sub: z.string(),
  code: z.string(),
  instance_id: Id,
  name: z.string().describe("Of the instance."),
  state: z.enum(INSTALL_STATES),
  suspended_because: z
    .enum([
      "access",
      "instance_disabled",
      "authorization_server_changed",
      "grant_ended",
      "not_in_catalog",
    ])
    .nullable(),
  requires_auth: z.boolean(),
  requires_config: z.boolean(),
  fields: z.array(ServerField.extend({ filled: z.boolean() })).describe("For the principal."),
  installed_by: z.string(),
  ends_at: Time.nullable().describe("When the approval ends; null: it does not."),
  created_at: Time,
});
export type Install = z.infer<typeof Install>;

export const listInstalls = endpoint({
  name: "list_installs",
  method: "GET",
  path,
  auth: "read",
  summary: "List what principals have installed",
  query: PageQuery.extend({
    principal_sub: PrincipalSub.optional(),
    code: Text.max(200).optional(),
    instance_id: Id.optional(),
  }),
  reply: page(Install),
});

export const removeInstall = endpoint({
  name: "remove_install",
  method: "DELETE",
  path: one,
  auth: "write",
  summary: "Remove an install, with the credential the principal had for it",
  configures: false,
});

export const configureInstall = endpoint({
  name: "configure_install",
  method: "PUT",
  path: `${one}/config`,
  auth: "write",
  summary: "Fill in the fields of an install; fields left out keep their value, null clears one",
  body: z.strictObject({
    values: z
      .record(z.string().max(64), SecretText.min(1).nullable())
      .refine((values) => Object.keys(values).length <= 20, "holds at most 20 fields"),
  }),
  reply: Install,
  configures: false,
});

export const connectInstall = endpoint({
  name: "connect_install",
  method: "POST",
  path: `${one}/connect`,
  auth: "write",
  summary: "Where the principal connects an account or fills in fields; it asks who they are",
  reply: z.object({
    url: z.string().describe("For the principal's browser."),
    requires_auth: z.boolean(),
    requires_config: z.boolean(),
  }),
  writes: false,
});

/** The other changes of an installation wait for a bulk install: it is kept short. */
export const MAX_BULK_INSTALLS = 500;

export const bulkInstall = endpoint({
  name: "bulk_install",
  method: "POST",
  path: "/v1/gateways/:gateway_id/store/bulk-installs",
  auth: "write",
  summary: "Install a server for every known principal of a group; this counts as an approval",
  body: z.strictObject({
    code: Text.trim().min(1).max(200),
    instance_id: Id.optional(),
    group: Group,
  }),
  reply: z.object({
    installed: z.array(z.string()).describe("Principals that have it now and did not before."),
    already_installed: z.array(z.string()),
    refused: z.array(z.string()).describe("Principals whose access level is none."),
    left: z
      .int()
      .describe(`More than ${MAX_BULK_INSTALLS} are not done at once: call again until it is 0.`),
  }),
  configures: false,
});
