/** Wire shapes of Store installs: install or request a server, and manage installs. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, PageQuery, page, SecretText, Text, Time, WellFormedText } from "../shapes.ts";
import { Group, Groups, PrincipalSub } from "./access.ts";
import { ServerField } from "./mcp-registries.ts";

export const INSTALL_STATUSES = ["installed", "pending_approval", "not_installed"] as const;

const MAX_REASON_CHARS = 1000;

/** Blank text is treated as absent. The limit counts code points, as JSON Schema does. */
export const Reason = WellFormedText.trim()
  .max(2 * MAX_REASON_CHARS)
  .refine(
    (text) => [...text].length <= MAX_REASON_CHARS,
    `must have at most ${MAX_REASON_CHARS} characters`,
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Postgres cannot store it
  .regex(/^[^\u0000]*$/, "must not contain NUL")
  .meta({ maxLength: MAX_REASON_CHARS });

/** Unknown members are ignored. */
const InstallMembers = z.object({
  code: Text.trim().min(1).max(200).describe("Code of the Store server."),
  principal_sub: PrincipalSub,
  groups: Groups.optional().describe("Groups of the principal. Left out: the last known groups."),
  instance_id: Id.or(z.literal(""))
    .optional()
    .describe("Id of the instance, an MCP registry. An empty string is treated as left out."),
  reason: Reason.optional().describe(
    "Why the user needs the server. Stored only with a request that an approver decides.",
  ),
});

/** The API description marks no member as required; a missing one returns 422. */
export const InstallRequest = InstallMembers.partial().pipe(InstallMembers);
export type InstallRequest = z.output<typeof InstallRequest>;

export const InstanceChoice = z.object({ name: z.string(), registry_id: Id });
export type InstanceChoice = z.infer<typeof InstanceChoice>;

export const InstallReply = z.object({
  already_installed: z.boolean().describe("The principal had it before this call."),
  code: z.string(),
  instance_choices: z
    .array(InstanceChoice)
    .describe("Instances to choose from, if there are several."),
  instance_id: z.string().describe("Id of the MCP registry; empty until it is decided."),
  name: z.string(),
  pending: z.boolean().describe("An approver must decide."),
  requires_admin_setup: z.boolean().describe("An administrator must create or enable an instance."),
  requires_auth: z.boolean().describe("The principal must connect an account."),
  requires_config: z.boolean().describe("The principal must fill in the fields."),
  requires_instance_choice: z.boolean().describe("Call again with one of `instance_choices`."),
  requires_reason: z
    .boolean()
    .describe("Not covered by the principal's access level: call again with `reason`."),
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
  name: z.string().describe("Name of the instance."),
  state: z.enum(INSTALL_STATES),
  suspended_because: z
    .enum([
      "access",
      "instance_disabled",
      "authorization_server_changed",
      "grant_ended",
      "not_in_catalog",
    ])
    .nullable()
    .describe("Why the install is suspended; null if it is active."),
  requires_auth: z.boolean().describe("The principal must connect an account."),
  requires_config: z.boolean().describe("The principal must fill in the fields."),
  fields: z
    .array(ServerField.extend({ filled: z.boolean() }))
    .describe("Fields that the principal fills in."),
  installed_by: z.string(),
  ends_at: Time.nullable().describe("Time at which the grant expires. null: never."),
  created_at: Time,
});
export type Install = z.infer<typeof Install>;

export const listInstalls = endpoint({
  name: "list_installs",
  method: "GET",
  path,
  auth: "read",
  summary: "List the installs of principals",
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
  summary: "Remove an install and the principal's credential for it",
  configures: false,
});

export const configureInstall = endpoint({
  name: "configure_install",
  method: "PUT",
  path: `${one}/config`,
  auth: "write",
  summary:
    "Fill in the fields of an install; fields left out keep their value, null clears a field",
  body: z.strictObject({
    values: z
      .record(z.string().max(64), SecretText.min(1).nullable())
      .refine((values) => Object.keys(values).length <= 20, "must have at most 20 fields"),
  }),
  reply: Install,
  configures: false,
});

export const connectInstall = endpoint({
  name: "connect_install",
  method: "POST",
  path: `${one}/connect`,
  auth: "write",
  summary: "Get the address where the principal signs in, connects an account and fills in fields",
  reply: z.object({
    url: z.string().describe("Address to open in the principal's browser."),
    requires_auth: z.boolean(),
    requires_config: z.boolean(),
  }),
  writes: false,
});

/** Limits the duration of a bulk install, because other changes wait for it. */
export const MAX_BULK_INSTALLS = 500;

export const bulkInstall = endpoint({
  name: "bulk_install",
  method: "POST",
  path: "/v1/gateways/:gateway_id/store/bulk-installs",
  auth: "write",
  summary: "Install a server for every known principal of a group; counts as an approval",
  body: z.strictObject({
    code: Text.trim().min(1).max(200),
    instance_id: Id.optional(),
    group: Group,
  }),
  reply: z.object({
    installed: z.array(z.string()).describe("Principals for whom it was installed."),
    already_installed: z.array(z.string()),
    refused: z
      .array(z.string())
      .describe(
        "Principals with the access level `none`, and the caller if its own install needs approval.",
      ),
    left: z
      .int()
      .describe(
        `Remaining principals: one call installs at most ${MAX_BULK_INSTALLS}. Call again until it is 0.`,
      ),
  }),
  configures: false,
});
