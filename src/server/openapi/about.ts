/** What the API description says about the whole: conventions, how to authenticate, what each tag is about. */

export const ABOUT = {
  title: "Portcullis API",
  version: "1.0",
  description: [
    "Portcullis stands between your applications and the AI systems they use. The administrative API under `/v1` sets it up; applications then send their requests to `/{consumer}/v1/…`.",
    "Lists answer `{items, next_cursor}`: send `next_cursor` as `cursor` until it is null.",
    "A change leaves out the members that keep their value. `PATCH` and `PUT` mean the same. With `If-Match`, a change that somebody else overtook is refused with 412 instead of undoing theirs.",
    "A `POST` with an `Idempotency-Key` can be sent again after a broken connection: it happens once, and the second answer is the first one.",
    "Errors of the administrative API are `{error, message}`: branch on `error`, show `message`. Secrets are shown once, when they are made, and masked from then on.",
  ].join("\n\n"),
  license: { name: "MIT", identifier: "MIT" },
};

export const SECURITY_SCHEMES = {
  admin_token: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "Bearer authentication with an administrator token: `Authorization: Bearer pa_…`.",
  },
  principal_token: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description:
      "Bearer authentication with a personal token (`pp_…`), or a JWT of an issuer that the gateway trusts.",
  },
  collector_key: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description:
      "A key of a collector, `Authorization: Bearer pc_…`; or a service token of `POST /v1/token`, with `gateway_id` or `collector_key` in the body.",
  },
  consumer_key: {
    type: "apiKey",
    in: "header",
    name: "X-AG-API-Key",
    description:
      "A key of the consumer in the path. `x-api-key` and `Authorization: Bearer ag_…` are taken too, so that existing clients work unchanged.",
  },
} as const;

export const DATA_PLANE = "Data plane";
export const MCP_ENDPOINT = "MCP endpoint";

export const TAGS = [
  {
    name: "Gateways",
    description: "A gateway holds registries, consumers and the plugins their requests pass.",
    paths: /^\/(api\/)?v1\/(gateways(\/:gateway_id)?|plugins)$/,
  },
  {
    name: "Store access",
    description: "Who may install what: rules by user, group or everyone, and who principals are.",
    paths: /\/store\/(access-rules|principal-tokens|issuers)\b/,
  },
  {
    name: "Store catalog",
    description: "The MCP servers that a gateway offers, and what each needs before it works.",
    paths: /\/store\/catalog\b/,
  },
  {
    name: "Store installs",
    description: "What principals have installed, and the requests that approvers decide.",
    paths: /\/store\//,
  },
  {
    name: "Store registry",
    description:
      "The catalog in the format of the public MCP registry, for clients that read one. A personal token in `Authorization` says whose Store it is.",
    paths: /^\/v0\.1\//,
  },
  {
    name: "Registries",
    description: "A registry is an upstream AI endpoint with its credential.",
    paths: /\/(registries|registry-kinds)\b/,
  },
  {
    name: "Consumer keys",
    description: "What an application sends as `X-AG-API-Key`.",
    paths: /\/consumers\/:consumer_id\/keys\b/,
  },
  {
    name: "Consumers",
    description: "A consumer is an application: its slug is the first part of the path it calls.",
    paths: /\/consumers\b/,
  },
  {
    name: "Administrator tokens",
    description: "Who may use this API, in which role and for which gateways.",
    paths: /^\/v1\/(tokens|whoami|session)\b/,
  },
  {
    name: "Evaluation",
    description:
      "Judges prompts, completions, tool calls and results by the policy of a collector. Any verdict is a 200; the caller enforces it.",
    paths: /^\/v1\/(evaluate|guard|token$)|^\/beta\/litellm/,
  },
  {
    name: "Collectors",
    description:
      "Who sends evaluations: its keys, the policy that judges, for whom another one does.",
    paths: /^\/v1\/collectors\b/,
  },
  {
    name: "Detectors",
    description: "Configured finders that rules of policies refer to.",
    paths: /^\/v1\/detectors\b/,
  },
  {
    name: "Policies",
    description: "Gates and rules, with an immutable version for every save.",
    paths: /^\/v1\/policies\b/,
  },
  {
    name: "Approvals",
    description: "What an `ask` verdict leaves for a person to decide.",
    paths: /^\/v1\/approvals\b/,
  },
  {
    name: "Activity",
    description: "An event for every evaluation: found, counted, exported, erased.",
    paths: /^\/v1\/activity\b/,
  },
  {
    name: "Requests",
    description:
      "What the data plane answered: who asked, which registry, how long, how many tokens.",
    paths: /\/requests$/,
  },
  {
    name: "Audit log",
    description: "Who changed what, with before and after.",
    paths: /^\/v1\/audit\b/,
  },
  {
    name: MCP_ENDPOINT,
    description:
      "What MCP clients connect to. Tools of servers are named `<server>__<tool>`; `store_search`, `store_install`, `store_status` and `store_uninstall` are the Store.",
    paths: /\/mcp$/,
  },
  {
    name: DATA_PLANE,
    description:
      "What applications call. Bodies have the reference format, which is that of the OpenAI API, and reach the upstream as they are. A model may be written `@provider/model` to pin a kind of registry. Answers carry `X-AG-Trace-Id`, `X-AG-Registry`, `X-Selected-Provider` and `X-Selected-Model`.",
    paths: /^\/:consumer\//,
  },
];

/** What no row names is filed under the first word of its path. */
export function tagOf(path: string): string {
  const word = path.split("/").find((part) => part && part !== "api" && !/^v\d/.test(part)) ?? "";
  const spaced = word.replaceAll("-", " ");
  return (
    TAGS.find((tag) => tag.paths.test(path))?.name ??
    spaced.charAt(0).toUpperCase() + spaced.slice(1)
  );
}
