/** The JSON files of Google Cloud identities: the key of a service account, or an external account. */
import { z } from "zod";
import { AppError } from "../errors.ts";
import { HttpUrl } from "../http-shapes.ts";

/** Unknown members are allowed: Google adds some. */
const ServiceAccountKey = z.object({
  type: z.literal("service_account"),
  client_email: z.string().min(1).max(320),
  private_key_id: z.string().max(128).optional(),
  private_key: z
    .string()
    .includes("PRIVATE KEY", { message: "must be a private key in PEM format" }),
  token_uri: HttpUrl.default("https://oauth2.googleapis.com/token"),
});
export type ServiceAccountKey = z.infer<typeof ServiceAccountKey>;

const AWS_TOKEN_TYPE = "urn:ietf:params:aws:token-type:aws4_request";

const ExternalAccount = z
  .object({
    type: z.literal("external_account"),
    audience: z.string().min(1).max(1024),
    subject_token_type: z.enum(
      [
        "urn:ietf:params:oauth:token-type:jwt",
        "urn:ietf:params:oauth:token-type:id_token",
        AWS_TOKEN_TYPE,
      ],
      "must be a JWT, an ID token or an AWS request",
    ),
    token_url: HttpUrl.default("https://sts.googleapis.com/v1/token"),
    service_account_impersonation_url: HttpUrl.optional(),
    credential_source: z
      .object({
        /** The identity is that of the machine in AWS; the other members are not used. */
        environment_id: z.literal("aws1", "must be aws1").optional(),
        file: z.string().min(1).max(4096).optional(),
        url: z.url({ protocol: /^https?$/ }).optional(),
        headers: z.record(z.string(), z.string()).default({}),
        format: z
          .object({
            type: z.enum(["text", "json"]).default("text"),
            subject_token_field_name: z.string().optional(),
          })
          .optional(),
      })
      .refine(
        ({ environment_id, file, url }) =>
          environment_id !== undefined || (file === undefined) !== (url === undefined),
        "must have a file, a url or the environment_id of AWS; executable sources are not supported",
      ),
  })
  .refine(
    ({ subject_token_type, credential_source }) =>
      (subject_token_type === AWS_TOKEN_TYPE) === (credential_source.environment_id !== undefined),
    {
      path: ["subject_token_type"],
      message: "must be an AWS request if the environment_id is that of AWS, and only then",
    },
  );
export type ExternalAccount = z.infer<typeof ExternalAccount>;

const Credentials = z.discriminatedUnion("type", [ServiceAccountKey, ExternalAccount]);

/** Throws an error that names the invalid member, never its value. */
export function parseGoogleCredentials(text: string): z.infer<typeof Credentials> {
  const parsed = Credentials.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const member = issue?.path.length ? `${issue.path.join(".")}: ` : "";
  throw new AppError(
    "validation_failed",
    `auth.credentials: ${member}${issue?.message ?? "is not valid"}. Paste the content of the JSON file.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
