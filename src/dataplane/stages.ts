/** What is known of a request after each step. A stage extends the one before it, so no step can be left out. */
import type { RequestIds } from "../route.ts";
import type { ConsumerView, KeyView } from "../snapshot/snapshot.ts";
import type { Candidate } from "./choose-registries.ts";
import type { DataEndpoint } from "./match-endpoint.ts";
import type { ModelReference } from "./model-reference.ts";
import type { RequestBody } from "./request-body.ts";
import type { RequestProgress } from "./request-progress.ts";
import type { UpstreamReply } from "./upstream-reply.ts";

export interface RequestContext extends RequestIds {
  /** The address of the socket. */
  client: string;
  /** Go out with every answer, an error's too. */
  headers: Record<string, string>;
}

/** After matchEndpoint. */
export interface MatchedRequest {
  request: Request;
  ids: RequestContext;
  slug: string;
  endpoint: DataEndpoint;
  /** The path behind `/v1`, as it goes upstream. */
  tail: string;
  /** The file or model that the path names. */
  item: string | undefined;
  /** The query string with its `?`, or empty. */
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
  body: RequestBody;
  model: ModelReference;
  /** Models that the body names besides `model`; empty where no registry has an allow-list. */
  additional_models: readonly string[];
  /** The value of X-AG-Pin. */
  pin: string | undefined;
}

/** After chooseRegistries. */
export interface RoutedRequest extends ParsedRequest {
  /** In the order they are tried; never empty. */
  candidates: readonly Candidate[];
}

/** After forward. */
export interface ForwardedRequest extends RoutedRequest {
  candidate: Candidate;
  reply: UpstreamReply;
}
