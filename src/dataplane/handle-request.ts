/** The data plane, start to end. Each step needs what the one above it found; none goes back. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { admit } from "./admit.ts";
import { allowOrigin } from "./allow-origin.ts";
import { chooseRegistries } from "./choose-registries.ts";
import { describeLimits } from "./describe-limits.ts";
import { findHolder } from "./find-holder.ts";
import { finish, finishHere } from "./finish.ts";
import { forward } from "./forward.ts";
import { identifyConsumer } from "./identify-consumer.ts";
import { listModels } from "./list-models.ts";
import { matchEndpoint } from "./match-endpoint.ts";
import { readModel } from "./read-model.ts";
import { endRun } from "./run.ts";
import { scopeFiles } from "./scope-files.ts";
import type { AuthenticatedRequest, RequestContext } from "./stages.ts";

export async function handleRequest(
  deps: Deps,
  request: Request,
  ids: RequestContext,
): Promise<Response> {
  let known: AuthenticatedRequest;
  try {
    const asked = matchEndpoint(request, ids); //                          404 tail
    const preflight = allowOrigin(deps, asked);
    if (preflight) return preflight;
    known = identifyConsumer(deps, asked); //                              404 consumer, 401/403 key, 400 method
  } catch (thrown) {
    describeLimits(deps, request, ids);
    throw thrown;
  }
  const { capability } = known.endpoint;
  try {
    const admission = admit(deps, known); //                               429 limits
    if (admission) await admission;
    if (!capability) return finishHere(deps, known, listModels(known)); // 404 model
    const named = await readModel(deps, known, capability); //             400 body, 408, 413, 429
    const files = capability === "files";
    const own = known.consumer.files_scope === "own";
    const holder = own ? await findHolder(deps, named) : undefined; //     404 file
    const chosen = chooseRegistries(deps, named, capability, holder); //   400 pin, 403 model, 503 none capable
    const answered = await forward(deps, chosen, capability); //           502, 504 upstream
    const scoped = files ? await scopeFiles(deps, answered) : answered; // 502 list
    return finish(deps, scoped);
  } catch (thrown) {
    const gone = request.signal.aborted;
    const error = gone ? new AppError("client_closed") : AppError.from(thrown);
    const { status, code } = error;
    endRun(deps, known, { status, error_code: code, registry: null, usage: null });
    throw error;
  }
}
