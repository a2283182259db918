/** Handles a data-plane request from start to end. Each step uses the result of the step above it. */
import { AppError } from "../contract/errors.ts";
import { OBJECT_CAPABILITIES } from "../contract/gateway/registries.ts";
import type { Deps } from "../deps.ts";
import { addLimitHeaders } from "./add-limit-headers.ts";
import { applyCors } from "./apply-cors.ts";
import { applyPlugins } from "./apply-plugins.ts";
import { buildLocalResponse, buildResponse } from "./build-response.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { guardRequest } from "./guard/guard-request.ts";
import { guardResponse } from "./guard/guard-response.ts";
import { identifyConsumer } from "./identify-consumer.ts";
import { matchEndpoint } from "./match-endpoint.ts";
import { listModels } from "./models/list-models.ts";
import { readModel } from "./models/read-model.ts";
import { findObjectRegistry } from "./objects/find-object-registry.ts";
import { recordCreatedObjects } from "./objects/record-created-objects.ts";
import { scopeObjects } from "./objects/scope-objects.ts";
import { recordRejection } from "./record-rejection.ts";
import { endRequest, NO_UPSTREAM } from "./request-progress.ts";
import { chooseRegistries } from "./routing/choose-registries.ts";
import type { AuthenticatedRequest, MatchedRequest, RequestContext } from "./stages.ts";
import { forwardRequest } from "./upstream/forward-request.ts";

export async function handleRequest(
  deps: Deps,
  request: Request,
  context: RequestContext,
): Promise<Response> {
  let matched: MatchedRequest | undefined;
  let authenticated: AuthenticatedRequest;
  try {
    matched = matchEndpoint(request, context); //                                               404 path
    const preflight = applyCors(deps, matched);
    if (preflight) return preflight;
    authenticated = identifyConsumer(deps, matched); //                                         404 consumer, 401/403 key, 400 method
  } catch (thrown) {
    addLimitHeaders(deps, request, context);
    if (matched) recordRejection(deps, matched, AppError.from(thrown));
    throw thrown;
  }
  const { capability } = authenticated.endpoint;
  try {
    const admission = applyPlugins(deps, authenticated); //                                     429 limits
    if (admission) await admission;
    if (!capability)
      return buildLocalResponse(deps, authenticated, await listModels(deps, authenticated)); // 404 model
    const parsed = await readModel(deps, authenticated, capability); //                         400 body, 408, 413, 429
    const counts = capability.startsWith("count_");
    const estimate = counts ? estimateTokens(parsed) : undefined; //                            400 JSON
    if (estimate) {
      context.headers["x-ag-token-count"] = "estimated";
      return buildLocalResponse(deps, authenticated, estimate);
    }
    const ownObjects = authenticated.consumer.files_scope === "own";
    const registryId = ownObjects ? await findObjectRegistry(deps, parsed) : undefined; //      404 object
    const routed = chooseRegistries(deps, parsed, registryId); //                               400 pin, 403 model, 503 none capable
    const { guard } = authenticated.consumer;
    if (guard) context.client(); // the client may leave before its response is evaluated
    const admitted = guard ? await guardRequest(deps, routed, guard) : routed; //               400 JSON, 403 blocked, 503 guard
    const forwarded = await forwardRequest(deps, admitted); //                                  502, 504 upstream
    const isObject = OBJECT_CAPABILITIES.has(capability);
    const scoped = isObject ? await scopeObjects(deps, forwarded) : forwarded; //               502 list
    const recorded = ownObjects ? await recordCreatedObjects(deps, scoped) : scoped; //         502 size
    const checked = guard ? await guardResponse(deps, recorded, guard) : recorded; //           403 blocked, 503 guard
    return buildResponse(deps, checked);
  } catch (thrown) {
    const error = request.signal.aborted ? new AppError("client_closed") : AppError.from(thrown);
    const { status } = error;
    endRequest(deps, authenticated, { status, error, ...NO_UPSTREAM });
    throw error;
  }
}
