/** General part of the API description: conventions, authentication, tags. */

export const ABOUT = {
  title: "Portcullis API",
  version: "1.0",
  description: [
    "Portcullis is a gateway between applications and AI systems. Configure it with the administrative API under `/v1`; applications send their requests to `/{consumer}/v1/…`.",
    "Lists return `{items, next_cursor}`: send `next_cursor` as `cursor` until it is null.",
    "Updates change only the members that are sent. `PATCH` and `PUT` are equivalent. With `If-Match`, an update of a version that has changed meanwhile is rejected with 412.",
    "A `POST` with an `Idempotency-Key` can be repeated after a broken connection: it runs once, and the repeat gets the first response.",
    "Errors of the administrative API are `{error, message}`: branch on `error`, show `message`. Secrets are returned once, when they are created, and masked afterwards.",
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
      "Bearer authentication with a personal token (`pp_…`), or a JWT of a trusted issuer.",
  },
  collector_key: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description:
      "A collector key, `Authorization: Bearer pc_…`; or a service token from `POST /v1/token`, with `gateway_id` or `collector_key` in the body.",
  },
  consumer_key: {
    type: "apiKey",
    in: "header",
    name: "X-AG-API-Key",
    description:
      "A key of the consumer in the path. `x-api-key` and `Authorization: Bearer ag_…` are accepted too, so that existing clients work unchanged.",
  },
} as const;

export const DATA_PLANE = "Data plane";
export const MCP_ENDPOINT = "MCP endpoint";

export const TAGS = [
  {
    name: "Gateways",
    description: "A gateway contains registries, consumers and the plugins of their requests.",
    paths: /^\/(api\/)?v1\/(gateways(\/:gateway_id)?|plugins)$/,
  },
  {
    name: "Store access",
    description:
      "Rules that let users and groups install servers; tokens and issuers that identify principals.",
    paths: /\/store\/(access-rules|principal-tokens|issuers)\b/,
  },
  {
    name: "Store catalog",
    description: "The MCP servers that a gateway offers, and their requirements.",
    paths: /\/store\/catalog\b/,
  },
  {
    name: "Store installs",
    description: "Servers that principals have installed, and requests for approval.",
    paths: /\/store\//,
  },
  {
    name: "Store registry",
    description:
      "The catalog in the format of the public MCP registry. A personal token in `Authorization` selects the principal's Store.",
    paths: /^\/v0\.1\//,
  },
  {
    name: "Registries",
    description: "A registry is an upstream AI endpoint with its credential.",
    paths: /\/(registries|registry-kinds)\b/,
  },
  {
    name: "Consumer keys",
    description: "Keys that applications send as `X-AG-API-Key`.",
    paths: /\/consumers\/:consumer_id\/keys\b/,
  },
  {
    name: "Consumers",
    description: "A consumer is an application: its slug is the first part of the path it calls.",
    paths: /\/consumers\b/,
  },
  {
    name: "Model catalog",
    description: "Known models: context size, modalities, list prices and retirement dates.",
    paths: /^\/v1\/model-catalog\b/,
  },
  {
    name: "Administrator tokens",
    description: "Access to this API, by role and gateway.",
    paths: /^\/v1\/(tokens|whoami|session)\b/,
  },
  {
    name: "Evaluation",
    description:
      "Evaluates prompts, completions, tool calls and results by the policy of a collector. Every verdict is a 200; the caller enforces it.",
    paths: /^\/v1\/(evaluate|guard|hooks|token$)|^\/beta\/litellm/,
  },
  {
    name: "Collectors",
    description: "Senders of evaluations: keys, default policy, and overrides by consumer.",
    paths: /^\/v1\/collectors\b/,
  },
  {
    name: "Detectors",
    description: "Configured detectors, used by the rules of policies.",
    paths: /^\/v1\/detectors\b/,
  },
  {
    name: "Policies",
    description: "Gates and rules. Every save creates an immutable version.",
    paths: /^\/v1\/policies\b/,
  },
  {
    name: "Approvals",
    description:
      "Decisions of people on `ask` verdicts, and the inbox that also lists Store requests.",
    paths: /^\/v1\/(approvals|inbox)\b/,
  },
  {
    name: "Activity",
    description: "Events of evaluations: search, count, mark, export, erase.",
    paths: /^\/v1\/(activity|feedback)\b/,
  },
  {
    name: "Requests",
    description:
      "Requests of the data plane: consumer, registry, duration, tokens; notices of new events.",
    paths: /\/requests$|^\/v1\/live$/,
  },
  {
    name: "Audit log",
    description: "Changes with their author, before and after.",
    paths: /^\/v1\/audit\b/,
  },
  {
    name: MCP_ENDPOINT,
    description:
      "Endpoints for MCP clients. Tools of servers are named `<server>__<tool>`; `store_search`, `store_install`, `store_status` and `store_uninstall` are the tools of the Store.",
    paths: /\/mcp$/,
  },
  {
    name: DATA_PLANE,
    description:
      "Endpoints for applications. Bodies have the format of the OpenAI API and are sent to the upstream unchanged, unless a guard masks them. The model `@provider/model` pins a kind of registry. Responses have the headers `X-AG-Trace-Id`, `X-AG-Registry`, `X-Selected-Provider` and `X-Selected-Model`, with a guard `X-AG-Guard`, and the upstream's rate limits and its request id as `X-AG-Upstream-Request-Id`.",
    paths: /^\/:consumer\//,
  },
];

/** Returns the tag of a path; by default the first word of the path. */
export function tagOf(path: string): string {
  const word = path.split("/").find((part) => part && part !== "api" && !/^v\d/.test(part)) ?? "";
  const spaced = word.replaceAll("-", " ");
  return (
    TAGS.find((tag) => tag.paths.test(path))?.name ??
    spaced.charAt(0).toUpperCase() + spaced.slice(1)
  );
}
