/** Endpoints that the console calls. The compiler checks every path against its description. */

import type * as audit from "../contract/audit.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type * as keys from "../contract/gateway/consumer-keys.ts";
import type { consumers as Consumers } from "../contract/gateway/consumers.ts";
import type { explainRequest } from "../contract/gateway/explain.ts";
import type { gateways as Gateways, listPlugins } from "../contract/gateway/gateways.ts";
import type * as limit from "../contract/gateway/limits.ts";
import type * as model from "../contract/gateway/model-catalog.ts";
import type * as play from "../contract/gateway/playground.ts";
import type * as registry from "../contract/gateway/registries.ts";
import type * as request from "../contract/gateway/requests.ts";
import type * as event from "../contract/guard/activity.ts";
import type * as approval from "../contract/guard/approvals.ts";
import type * as calibration from "../contract/guard/calibration.ts";
import type * as collectorKey from "../contract/guard/collector-keys.ts";
import type * as collector from "../contract/guard/collectors.ts";
import type * as detector from "../contract/guard/detectors.ts";
import type { exceptions as Exceptions } from "../contract/guard/exceptions.ts";
import type * as feedback from "../contract/guard/feedback.ts";
import type * as policy from "../contract/guard/policies.ts";
import type { replayPolicy } from "../contract/guard/replay.ts";
import type { testPolicy } from "../contract/guard/test-policy.ts";
import type { listInbox } from "../contract/inbox.ts";
import type { streamChanges } from "../contract/live.ts";
import type * as sessions from "../contract/session.ts";
import type * as statistics from "../contract/statistics.ts";
import type * as access from "../contract/store/access.ts";
import type * as authorization from "../contract/store/authorization-servers.ts";
import type * as catalog from "../contract/store/catalog.ts";
import type * as install from "../contract/store/installs.ts";
import type * as instance from "../contract/store/instances.ts";
import type * as principal from "../contract/store/principals.ts";
import type * as storeRequest from "../contract/store/requests.ts";
import type * as tools from "../contract/store/tools.ts";
import type * as token from "../contract/tokens.ts";
import type { EndpointRef } from "./api.ts";

const get = <E extends Endpoint>(path: E["path"]): EndpointRef<E> => ({ method: "GET", path });
const post = <E extends Endpoint>(path: E["path"]): EndpointRef<E> => ({ method: "POST", path });
/** A POST that changes nothing, so that lists are not loaded again. */
const query = <E extends Endpoint>(path: E["path"]) => ({
  ...post<E>(path),
  writes: false as const,
});
const put = <E extends Endpoint>(path: E["path"]): EndpointRef<E> => ({ method: "PUT", path });
const remove = <E extends Endpoint>(path: E["path"]): EndpointRef<E> => ({
  method: "DELETE",
  path,
});

export const session = {
  who: get<typeof sessions.whoAmI>("/v1/whoami"),
  signIn: post<typeof sessions.signIn>("/v1/session"),
  signOut: remove<typeof sessions.signOut>("/v1/session"),
};

export const gateways = {
  list: get<typeof Gateways.list>("/v1/gateways"),
  create: post<typeof Gateways.create>("/v1/gateways"),
  get: get<typeof Gateways.get>("/v1/gateways/:gateway_id"),
  update: put<typeof Gateways.update>("/v1/gateways/:gateway_id"),
  remove: remove<typeof Gateways.remove>("/v1/gateways/:gateway_id"),
  requests: get<typeof request.listRequests>("/v1/gateways/:gateway_id/requests"),
  statistics: get<typeof statistics.requestStatistics>("/v1/gateways/:gateway_id/statistics"),
  plugins: get<typeof listPlugins>("/v1/plugins"),
};

export const playground = {
  createToken: query<typeof play.createPlaygroundToken>(
    "/v1/gateways/:gateway_id/consumers/:consumer_id/playground-token",
  ),
  createCollectorToken: query<typeof play.createCollectorToken>(
    "/v1/collectors/:collector_id/playground-token",
  ),
};

export const live = { stream: get<typeof streamChanges>("/v1/live") };

const LIMITS = "/v1/gateways/:gateway_id/limits";
export const limits = {
  state: get<typeof limit.listLimitState>(`${LIMITS}/state`),
  reset: remove<typeof limit.resetLimitState>(`${LIMITS}/state/:type/:subject`),
  blocks: get<typeof limit.listBlocks>(`${LIMITS}/blocks`),
  lift: remove<typeof limit.liftBlock>(`${LIMITS}/blocks/:type/:subject`),
};

const REGISTRIES = "/v1/gateways/:gateway_id/registries";
type Registries = typeof registry.registries;
export const registries = {
  kinds: get<typeof registry.listRegistryKinds>("/v1/registry-kinds"),
  list: get<Registries["list"]>(REGISTRIES),
  create: post<Registries["create"]>(REGISTRIES),
  get: get<Registries["get"]>(`${REGISTRIES}/:registry_id`),
  update: put<Registries["update"]>(`${REGISTRIES}/:registry_id`),
  remove: remove<Registries["remove"]>(`${REGISTRIES}/:registry_id`),
  test: query<typeof registry.testConnection>(`${REGISTRIES}/test-connection`),
};

const CONSUMERS = "/v1/gateways/:gateway_id/consumers";
export const consumers = {
  list: get<typeof Consumers.list>(CONSUMERS),
  create: post<typeof Consumers.create>(CONSUMERS),
  get: get<typeof Consumers.get>(`${CONSUMERS}/:consumer_id`),
  update: put<typeof Consumers.update>(`${CONSUMERS}/:consumer_id`),
  remove: remove<typeof Consumers.remove>(`${CONSUMERS}/:consumer_id`),
  explain: query<typeof explainRequest>(`${CONSUMERS}/:consumer_id/explain`),
  models: get<typeof model.listConsumerModels>(`${CONSUMERS}/:consumer_id/models`),
};

export const modelCatalog = { list: get<typeof model.listModelCatalog>("/v1/model-catalog") };

const KEYS = `${CONSUMERS}/:consumer_id/keys` as const;
export const consumerKeys = {
  list: get<typeof keys.listConsumerKeys>(KEYS),
  create: post<typeof keys.createConsumerKey>(KEYS),
  rotate: post<typeof keys.rotateConsumerKey>(`${KEYS}/:key_id/rotate`),
  revoke: remove<typeof keys.revokeConsumerKey>(`${KEYS}/:key_id`),
};

export const activity = {
  list: get<typeof event.listActivity>("/v1/activity"),
  counts: get<typeof event.countActivity>("/v1/activity/counts"),
  statistics: get<typeof statistics.activityStatistics>("/v1/activity/statistics"),
  get: get<typeof event.getActivity>("/v1/activity/:event_id"),
  export: get<typeof event.exportActivity>("/v1/activity/export"),
  exportFeedback: get<typeof feedback.exportFeedback>("/v1/feedback/export"),
  setFeedback: {
    ...put<typeof feedback.setFeedback>("/v1/activity/:event_id/feedback"),
    writes: false as const,
  },
  erase: post<typeof event.eraseActivity>("/v1/activity/erase"),
};

export const inbox = { list: get<typeof listInbox>("/v1/inbox") };

export const approvals = {
  get: get<typeof approval.getApproval>("/v1/approvals/:approval_id"),
  decide: post<typeof approval.decideApproval>("/v1/approvals/:approval_id/decide"),
};

const STORE = "/v1/gateways/:gateway_id/store";
export const storeRequests = {
  list: get<typeof storeRequest.listStoreRequests>(`${STORE}/requests`),
  get: get<typeof storeRequest.getStoreRequest>(`${STORE}/requests/:request_id`),
  approve: post<typeof storeRequest.approveStoreRequest>(`${STORE}/requests/:request_id/approve`),
  reject: post<typeof storeRequest.rejectStoreRequest>(`${STORE}/requests/:request_id/reject`),
};

export const storeInstalls = {
  list: get<typeof install.listInstalls>(`${STORE}/principal/installs`),
  remove: remove<typeof install.removeInstall>(`${STORE}/principal/installs/:install_id`),
};

type AccessRules = typeof access.accessRules;
export const accessRules = {
  list: get<AccessRules["list"]>(`${STORE}/access-rules`),
  create: post<AccessRules["create"]>(`${STORE}/access-rules`),
  remove: remove<AccessRules["remove"]>(`${STORE}/access-rules/:access_rule_id`),
  explain: query<typeof access.explainAccess>(`${STORE}/access-rules/explain`),
};

export const storeCatalog = {
  list: get<typeof catalog.listCatalog>(`${STORE}/catalog`),
  get: get<typeof catalog.getCatalogEntry>(`${STORE}/catalog/:code`),
  update: put<typeof catalog.updateCatalogEntry>(`${STORE}/catalog/:code`),
  import: post<typeof catalog.importCatalog>(`${STORE}/catalog/import`),
};

export const storePrincipals = {
  list: get<typeof principal.listPrincipals>(`${STORE}/principals`),
  groups: get<typeof principal.listGroups>(`${STORE}/groups`),
};

export const storeInstances = {
  test: query<typeof instance.testInstance>(`${STORE}/instances/:instance_id/test`),
};

export const toolChanges = {
  list: get<typeof tools.listToolChanges>(`${STORE}/tool-changes`),
  accept: post<typeof tools.acceptToolChange>(`${STORE}/tool-changes/:tool_change_id/accept`),
};

const SERVERS = `${STORE}/authorization-servers` as const;
export const authorizationServers = {
  list: get<typeof authorization.listAuthorizationServers>(SERVERS),
  confirm: post<typeof authorization.confirmAuthorizationServer>(`${SERVERS}/:server_id/confirm`),
  dismiss: post<typeof authorization.dismissAuthorizationServer>(`${SERVERS}/:server_id/dismiss`),
};

type Issuers = typeof principal.issuers;
export const issuers = {
  list: get<Issuers["list"]>(`${STORE}/issuers`),
  create: post<Issuers["create"]>(`${STORE}/issuers`),
  update: put<Issuers["update"]>(`${STORE}/issuers/:issuer_id`),
  remove: remove<Issuers["remove"]>(`${STORE}/issuers/:issuer_id`),
};

export const principalTokens = {
  list: get<typeof principal.listPrincipalTokens>(`${STORE}/principal-tokens`),
  create: post<typeof principal.createPrincipalToken>(`${STORE}/principal-tokens`),
  revoke: remove<typeof principal.revokePrincipalToken>(
    `${STORE}/principal-tokens/:principal_token_id`,
  ),
};

export const tokens = {
  list: get<typeof token.listTokens>("/v1/tokens"),
  create: post<typeof token.createToken>("/v1/tokens"),
  revoke: remove<typeof token.revokeToken>("/v1/tokens/:token_id"),
};

export const auditLog = {
  list: get<typeof audit.listAudit>("/v1/audit"),
  actors: get<typeof audit.listAuditActors>("/v1/audit/actors"),
  export: get<typeof audit.exportAudit>("/v1/audit/export"),
};

const POLICIES = "/v1/policies";
type Policies = typeof policy.policies;
export const policies = {
  list: get<Policies["list"]>(POLICIES),
  create: post<Policies["create"]>(POLICIES),
  createWithDetectors: post<typeof policy.createPolicyWithDetectors>(`${POLICIES}/with-detectors`),
  get: get<Policies["get"]>(`${POLICIES}/:policy_id`),
  update: put<Policies["update"]>(`${POLICIES}/:policy_id`),
  remove: remove<Policies["remove"]>(`${POLICIES}/:policy_id`),
  test: query<typeof testPolicy>(`${POLICIES}/:policy_id/test`),
  replay: query<typeof replayPolicy>(`${POLICIES}/:policy_id/replay`),
  uses: get<typeof policy.listPolicyUses>(`${POLICIES}/:policy_id/uses`),
  exemptions: get<typeof feedback.listExemptions>(`${POLICIES}/:policy_id/exemptions`),
  removeExemption: remove<typeof feedback.removeExemption>(
    `${POLICIES}/:policy_id/exemptions/:exemption_id`,
  ),
  exceptions: get<typeof Exceptions.list>(`${POLICIES}/:policy_id/exceptions`),
  createException: query<typeof Exceptions.create>(`${POLICIES}/:policy_id/exceptions`),
  removeException: remove<typeof Exceptions.remove>(
    `${POLICIES}/:policy_id/exceptions/:exception_id`,
  ),
  versions: get<typeof policy.listPolicyVersions>(`${POLICIES}/:policy_id/versions`),
  version: get<typeof policy.getPolicyVersion>(`${POLICIES}/:policy_id/versions/:number`),
  diff: get<typeof policy.diffPolicyVersions>(`${POLICIES}/:policy_id/versions/:number/diff`),
  restore: post<typeof policy.restorePolicyVersion>(
    `${POLICIES}/:policy_id/versions/:number/restore`,
  ),
};

const DETECTORS = "/v1/detectors";
type Detectors = typeof detector.detectors;
export const detectors = {
  catalog: get<typeof detector.listDetectorCatalog>(`${DETECTORS}/catalog`),
  list: get<Detectors["list"]>(DETECTORS),
  create: post<Detectors["create"]>(DETECTORS),
  get: get<Detectors["get"]>(`${DETECTORS}/:detector_id`),
  update: put<Detectors["update"]>(`${DETECTORS}/:detector_id`),
  remove: remove<Detectors["remove"]>(`${DETECTORS}/:detector_id`),
  uses: get<typeof detector.listDetectorUses>(`${DETECTORS}/:detector_id/uses`),
};

const COLLECTORS = "/v1/collectors";
type Collectors = typeof collector.collectors;
export const collectors = {
  list: get<Collectors["list"]>(COLLECTORS),
  create: post<Collectors["create"]>(COLLECTORS),
  get: get<Collectors["get"]>(`${COLLECTORS}/:collector_id`),
  update: put<Collectors["update"]>(`${COLLECTORS}/:collector_id`),
  remove: remove<Collectors["remove"]>(`${COLLECTORS}/:collector_id`),
  overrides: get<typeof collector.listOverrides>(`${COLLECTORS}/:collector_id/overrides`),
  observed: get<typeof collector.getObserved>(`${COLLECTORS}/:collector_id/observed`),
  calibration: get<typeof calibration.getCalibration>(`${COLLECTORS}/:collector_id/calibration`),
  resetCalibration: remove<typeof calibration.resetCalibration>(
    `${COLLECTORS}/:collector_id/calibration`,
  ),
  setOverride: put<typeof collector.setOverride>(`${COLLECTORS}/:collector_id/overrides/:consumer`),
  removeOverride: remove<typeof collector.removeOverride>(
    `${COLLECTORS}/:collector_id/overrides/:consumer`,
  ),
};

const COLLECTOR_KEYS = `${COLLECTORS}/:collector_id/keys` as const;
type CollectorKeys = typeof collectorKey.collectorKeys;
export const collectorKeys = {
  list: get<CollectorKeys["list"]>(COLLECTOR_KEYS),
  create: post<CollectorKeys["create"]>(COLLECTOR_KEYS),
  rotate: post<CollectorKeys["rotate"]>(`${COLLECTOR_KEYS}/:key_id/rotate`),
  revoke: remove<CollectorKeys["revoke"]>(`${COLLECTOR_KEYS}/:key_id`),
};

const CLIENTS = `${COLLECTORS}/:collector_id/service-clients` as const;
type ServiceClients = typeof collectorKey.serviceClients;
export const serviceClients = {
  list: get<ServiceClients["list"]>(CLIENTS),
  create: post<ServiceClients["create"]>(CLIENTS),
  rotate: post<ServiceClients["rotate"]>(`${CLIENTS}/:key_id/rotate`),
  revoke: remove<ServiceClients["revoke"]>(`${CLIENTS}/:key_id`),
};
