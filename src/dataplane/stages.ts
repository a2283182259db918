/** Types of a request after each step. Each extends the one before it, so that no step can be skipped. */
import type { Capability } from "../contract/gateway/registries.ts";
import type { RequestIds } from "../route.ts";
import type { ConsumerView, KeyView } from "../snapshot/snapshot.ts";
import type { RequestBody } from "./body/request-body.ts";
import type { MatchedEndpoint } from "./match-endpoint.ts";
import type { ModelReference } from "./models/model-reference.ts";
import type { RequestProgress } from "./request-progress.ts";
import type { Candidate } from "./routing/evaluate-registry.ts";
import type { UpstreamReply } from "./upstream/upstream-reply.ts";

/** Ids of a request, the address of its client, and headers of its response. */
export interface RequestContext extends RequestIds {
  /** Returns the address of the socket. Empty if the client has left before the first call. */
  client: () => string;
  /** Sent with every response, including errors. */
  headers: Record<string, string>;
}

/** After matchEndpoint. */
export interface MatchedRequest {
  request: Request;
  context: RequestContext;
  slug: string;
  endpoint: MatchedEndpoint;
  /** Path after the version, as sent upstream. */
  tail: string;
  /** Model or stored object in the path, such as a file. */
  item: string | undefined;
  /** Model that the path names instead of the body. */
  path_model: string | undefined;
  /** Query string with its `?`, or empty. */
  search: string;
}

/** After identifyConsumer. */
export interface AuthenticatedRequest extends MatchedRequest {
  consumer: ConsumerView;
  key: KeyView;
  progress: RequestProgress;
}

/** After readModel. */
export interface ParsedRequest extends AuthenticatedRequest {
  /** Capability of the endpoint. */
  capability: Capability;
  body: RequestBody;
  model: ModelReference;
  /** Models that the body names besides `model`; empty if no registry has an allow-list. */
  additional_models: readonly string[];
  /** Models of a batch of messages, each of which is mapped; empty if no registry has an allow-list or a map. */
  batch_models: readonly string[];
  /** Value of X-AG-Pin. */
  pin: string | undefined;
}

/** After chooseRegistries. */
export interface RoutedRequest extends ParsedRequest {
  /** In the order in which they are tried; never empty. */
  candidates: readonly Candidate[];
  /** Statuses that mean that another registry may have the object which the request names. */
  elsewhere_statuses: readonly number[];
}

/** After forwardRequest. */
export interface ForwardedRequest extends RoutedRequest {
  candidate: Candidate;
  reply: UpstreamReply;
}
