/** Operations on exceptions: passages that a policy allows. */
import { AppError } from "../contract/errors.ts";
import { type Exception, type ExceptionInput, exceptions } from "../contract/guard/exceptions.ts";
import { detectorTable } from "../db/tables/detectors.ts";
import { exceptionTable } from "../db/tables/exceptions.ts";
import type { Route } from "../route.ts";
import { checkExpiry } from "./key-state.ts";
import { findPolicy } from "./policy-versions.ts";
import { type ResourceDefinition, resourceRoutes } from "./resource-routes.ts";

/** Every node keeps the exceptions of all policies in memory. */
const MAX_EXCEPTIONS = 1_000;

const definition: ResourceDefinition<Exception, ExceptionInput, Exception> = {
  table: exceptionTable,
  id: "exception_id",
  scopeOf: ({ policy_id = "" }) => ({ policy_id }),
  requireParent: async (deps, { policy_id = "" }) => void (await findPolicy(deps, policy_id)),
  toReply: (_, row) => row,
  async toColumns(deps, input, { id, policy_id = "" }, before, actor) {
    const { passage_sha256, detector_id, expires_at } = input;
    checkExpiry(deps, expires_at);
    if (detector_id !== null && !(await detectorTable.find(deps.db, { id: detector_id }))) {
      throw new AppError("validation_failed", `detector_id: unknown detector ${detector_id}`);
    }
    const all = await exceptionTable.all(deps.db, { policy_id });
    const others = all.filter((other) => other.id !== id);
    const same = others.find(
      (other) => other.passage_sha256 === passage_sha256 && other.detector_id === detector_id,
    );
    if (same) await exceptionTable.remove(deps.db, { id: same.id });
    else if (others.length >= MAX_EXCEPTIONS) {
      const text = `The policy has ${MAX_EXCEPTIONS} exceptions, the maximum. Delete some first.`;
      throw new AppError("conflict", text);
    }
    return { ...input, policy_id, created_by: before?.created_by ?? actor.name };
  },
};

export const exceptionRoutes: Route[] = resourceRoutes(exceptions, definition);
