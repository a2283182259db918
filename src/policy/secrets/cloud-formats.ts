/** Formats of credentials of cloud, hosting and infrastructure providers. */
import {
  ALNUM,
  BASE64,
  HEX,
  type SecretFormat,
  toNamedFormat,
  toPrefixedFormat,
  UUID,
  WORD,
} from "./secret-format.ts";

export const CLOUD_FORMATS: readonly SecretFormat[] = [
  ...(
    [
      ["aws_access_key_id", ["AKIA", "ASIA", "ABIA", "ACCA"], "[A-Z2-7]{16}"],
      ["aws_bedrock_api_key", "ABSK", `${BASE64}{109,269}={0,2}`],
      [
        "aws_bedrock_short_term_key",
        "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t",
        `${BASE64}{0,2000}={0,2}`,
      ],
      ["aws_mws_token", "amzn.mws.", UUID],
      ["gcp_api_key", "AIza", `${WORD}{35}`],
      ["gcp_client_secret", "GOCSPX-", `${WORD}{28}`],
      ["gcp_access_token", "ya29.", `${WORD}{30,400}`],
      ["gcp_refresh_token", "1//0", `${WORD}{40,120}`],
      ["firebase_server_key", "AAAA", `${WORD}{7}:${WORD}{140}`],
      ["alibaba_access_key_id", "LTAI", `${ALNUM}{12,22}`],
      ["tencent_secret_id", "AKID", `${ALNUM}{32,40}`],
      ["scaleway_access_key", "SCW", "[A-Z0-9]{17}"],
      ["yandex_api_key", "AQVN", `${WORD}{35,38}`],
      ["yandex_iam_token", "t1.", `${WORD}{4,200}={0,2}\\.${WORD}{86}={0,2}`],
      ["yandex_oauth_token", "y0_", `${WORD}{39,61}`],
      ["yandex_access_key_id", "YCAJE", `${WORD}{20}`],
      ["digitalocean_token", ["dop_v1_", "doo_v1_", "dor_v1_"], `${HEX}{64}`],
      ["heroku_api_key", "HRKU-", `${WORD}{36,60}`],
      ["render_api_key", "rnd_", `${ALNUM}{28,32}`],
      ["vercel_token", ["vcp_", "vci_", "vca_", "vcr_", "vck_"], `${ALNUM}{56}`],
      ["netlify_token", ["nfp_", "nfc_", "nfo_", "nfu_"], `${ALNUM}{36}`],
      ["flyio_token", ["fo1_", "fm1_", "fm1r_", "fm1a_", "fm2_"], "[\\w+/=-]{43,600}"],
      ["supabase_key", ["sbp_", "sb_secret_"], `${WORD}{31,64}`],
      ["planetscale_key", ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], "[\\w=.-]{31,63}[\\w=-]"],
      ["neon_api_key", "napi_", "[a-z0-9]{60,72}"],
      ["mongodb_atlas_secret", "mdb_sa_sk_", `${WORD}{40}`],
      ["databricks_token", "dapi", `${HEX}{32}(?:-\\d)?`],
      ["cloudflare_origin_key", "v1.0-", `${HEX}{24}-${HEX}{146}`],
      ["akamai_token", "akab-", `${WORD}{16}-${WORD}{16}`],
      ["vault_token", ["hvs.", "hvb.", "hvr."], `${WORD}{24,300}`],
      ["pulumi_token", "pul-", `${HEX}{40}`],
      ["doppler_token", ["dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], `${ALNUM}{40,44}`],
      ["doppler_service_token", "dp.st.", `(?:[a-z0-9_-]{2,35}\\.)?${ALNUM}{40,44}`],
      ["onepassword_service_token", "ops_eyJ", `${BASE64}{250,1200}={0,3}`],
      [
        "onepassword_secret_key",
        "A3-",
        "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
      ],
      ["age_secret_key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"],
      [
        "tailscale_key",
        ["tskey-auth-", "tskey-api-", "tskey-client-"],
        `${ALNUM}{10,20}(?:-${ALNUM}{20,40})?`,
      ],
      ["openshift_token", "sha256~", `${WORD}{43}`],
      ["defined_networking_key", "dnkey-", "[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"],
      ["scalingo_token", "tk-us-", `${WORD}{48}`],
      ["clickhouse_cloud_secret", "4b1d", `${ALNUM}{38}`],
    ] as const
  ).map(toPrefixedFormat),
  ...(
    [
      [
        "aws_secret_access_key",
        [
          "aws_secret",
          "aws-secret",
          "awssecret",
          "secret_access_key",
          "secretaccesskey",
          "secret access key",
        ],
        `${BASE64}{40}`,
      ],
      ["aws_session_token", ["aws_session_token", "sessiontoken"], "[A-Za-z0-9/+=]{100,1500}"],
      ["gcp_private_key_id", ["private_key_id"], `${HEX}{40}`],
      [
        "azure_storage_key",
        ["accountkey", "storage_key", "storage_account_key"],
        `${BASE64}{86}==`,
      ],
      ["azure_shared_access_key", ["sharedaccesskey"], `${BASE64}{43}=`],
      ["azure_function_key", ["x-functions-key"], "[\\w-]{52,56}={0,2}"],
      ["azure_sas_signature", ["&sig", "?sig"], "(?:[A-Za-z0-9+/]|%[0-9A-F]{2}){40,60}(?:%3D|=)?"],
      ["alibaba_secret_key", ["alibaba", "aliyun"], `${ALNUM}{30}`],
      ["ibm_cloud_key", ["ibm_cloud", "ibmcloud", "ibm_api", "bluemix"], `${WORD}{44}`],
      ["linode_token", ["linode"], `${HEX}{64}`],
      ["hetzner_token", ["hetzner", "hcloud_token"], `${ALNUM}{64}`],
      ["vultr_api_key", ["vultr"], "[A-Z0-9]{36}"],
      ["heroku_api_key", ["heroku"], UUID],
      ["netlify_token", ["netlify"], `${WORD}{40,46}`],
      ["vercel_token", ["vercel"], `${ALNUM}{24}`],
      ["cloudflare_api_token", ["cloudflare"], `${WORD}{40}`],
      ["cloudflare_global_key", ["cloudflare", "x-auth-key"], `${HEX}{37}`],
      ["fastly_token", ["fastly"], `${WORD}{32}`],
      ["confluent_secret", ["confluent"], `${BASE64}{64}`],
      ["vault_token", ["vault_token", "x-vault-token"], `s\\.${ALNUM}{24}`],
      ["consul_token", ["consul_http_token", "consul_token"], UUID],
      ["nomad_token", ["nomad_token"], UUID],
      [
        "terraform_password",
        ["administrator_login_password", "master_password"],
        "[^\\s\"'`]{8,64}",
      ],
    ] as const
  ).map(toNamedFormat),
  {
    ...toPrefixedFormat(["azure_client_secret", "Q~", "[\\w~.-]{31,34}"]),
    lookBehind: [4],
    pattern: /[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])/y,
  },
  { ...toMarkedFormat("azure_devops_token", "AZDO", 76, 4) },
  {
    ...toMarkedFormat("azure_cosmos_key", "ACDb", 76, 4),
    pattern: /[A-Za-z0-9]{76}ACDb[A-Za-z0-9]{4}(?:==)?/y,
  },
  { ...toMarkedFormat("azure_search_key", "AzSe", 42, 6) },
  {
    ...toPrefixedFormat(["terraform_token", ".atlasv1.", ""]),
    lookBehind: [14],
    pattern: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}(?![\w-])/y,
  },
];

/** Creates the format of keys with a fixed mark at a fixed offset. */
function toMarkedFormat(label: string, mark: string, before: number, after: number): SecretFormat {
  return {
    ...toPrefixedFormat([label, mark, ""]),
    lookBehind: [before],
    pattern: new RegExp(`${ALNUM}{${before}}${mark}${ALNUM}{${after}}(?!${ALNUM})`, "y"),
  };
}
