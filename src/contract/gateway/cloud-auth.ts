/** Wire shapes of cloud identities: how a registry authenticates without an API key. */
import { z } from "zod";
import { HttpUrl } from "../http-shapes.ts";
import { SecretText, Text } from "../shapes.ts";

const KEPT =
  "Stored encrypted and shown masked. On update, a masked or empty value keeps the stored one.";
const OWNER = "the identity of the machine, which only an owner of all gateways may choose";

const secret = SecretText.meta({ format: "password" }).optional();

export const AwsRegion = z
  .string()
  .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be an AWS region such as us-east-1");

/** AWS Signature Version 4. */
export const AwsAuth = z.strictObject({
  type: z.literal("aws"),
  source: z
    .enum(["access_key", "default_chain"])
    .default("access_key")
    .describe(`\`access_key\`: the access key below. \`default_chain\`: ${OWNER}.`),
  region: AwsRegion.optional().describe("Left out: the region of the provider options."),
  access_key_id: z
    .string()
    .regex(/^\w{16,128}$/, "must be an access key id such as AKIAIOSFODNN7EXAMPLE")
    .optional(),
  secret_access_key: secret.describe(KEPT),
  session_token: secret.describe(`Of temporary credentials. ${KEPT}`),
  role_arn: z
    .string()
    .regex(
      /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,576}$/,
      "must be an ARN such as arn:aws:iam::123456789012:role/name",
    )
    .optional()
    .describe("Role to assume with the credentials above."),
  external_id: z
    .string()
    .regex(/^[\w+=,.@:/-]{2,1224}$/, "must be 2 to 1224 letters, digits and +=,.@:/-_")
    .optional()
    .describe("External id that the trust policy of the role requires."),
  session_name: z
    .string()
    .regex(/^[\w+=,.@-]{2,64}$/, "must be 2 to 64 letters, digits and +=,.@-_")
    .default("portcullis")
    .describe("Name of the role session in CloudTrail."),
});
export type AwsAuth = z.infer<typeof AwsAuth>;

/** Tokens of Microsoft Entra. */
export const AzureAuth = z.strictObject({
  type: z.literal("azure"),
  source: z
    .enum(["client_secret", "workload_identity", "managed_identity"])
    .default("client_secret")
    .describe(
      `\`client_secret\`: an app registration. \`workload_identity\` and \`managed_identity\`: ${OWNER}.`,
    ),
  tenant_id: z
    .string()
    .regex(/^[\w.-]{1,128}$/, "must be a tenant id or domain")
    .optional()
    .describe("Left out with `workload_identity`: AZURE_TENANT_ID."),
  client_id: Text.min(1)
    .max(128)
    .optional()
    .describe(
      "Left out with `workload_identity`: AZURE_CLIENT_ID; with `managed_identity`: the identity of the system.",
    ),
  client_secret: secret.describe(KEPT),
  authority_host: HttpUrl.optional().describe(
    "Left out: AZURE_AUTHORITY_HOST with `workload_identity`, otherwise `https://login.microsoftonline.com`.",
  ),
  scope: Text.min(1)
    .max(512)
    .default("https://cognitiveservices.azure.com/.default")
    .describe("Scope of the token. Sovereign clouds have another one."),
});
export type AzureAuth = z.infer<typeof AzureAuth>;

/** Access tokens of Google Cloud. */
export const GoogleAuth = z.strictObject({
  type: z.literal("gcp_service_account"),
  source: z
    .enum(["key", "workload_identity", "metadata"])
    .default("key")
    .describe(
      `\`key\`: the JSON key of a service account. \`workload_identity\` (the JSON of an external account) and \`metadata\`: ${OWNER}.`,
    ),
  credentials: z
    .string()
    .max(16_384)
    .meta({ format: "password" })
    .optional()
    .describe(`Content of the JSON file. ${KEPT}`),
});
export type GoogleAuth = z.infer<typeof GoogleAuth>;

/** Identities of AI upstreams that are exchanged for a short-lived credential. */
export const CLOUD_AUTH = [AwsAuth, AzureAuth, GoogleAuth] as const;
export type CloudAuth = AwsAuth | AzureAuth | GoogleAuth;

/** Sources that use the machine's own credentials. */
const MACHINE_SOURCES: ReadonlySet<string> = new Set<CloudAuth["source"]>([
  "default_chain",
  "workload_identity",
  "managed_identity",
  "metadata",
]);

/** Reports whether an identity is that of the machine. */
export const usesMachineIdentity = (auth: object | null): boolean =>
  auth !== null && "source" in auth && MACHINE_SOURCES.has(String(auth.source));
