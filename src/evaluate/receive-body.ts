/** Receives the body of an evaluation: limits its size, and counts it against the in-flight budget. */
import { findUser } from "../contract/gateway/user-header.ts";
import { isHookAgent } from "../contract/guard/hook-agents.ts";
import type { Deps } from "../deps.ts";
import { findClientAddress } from "../lib/http/ip-address.ts";
import { bodyLimits, readBody } from "../read-body.ts";
import { reserveBytes } from "../reserve-bytes.ts";
import type { DirectCall } from "../route.ts";
import { ownerOf } from "./identify-caller.ts";
import type { AuthenticatedCall, EvaluationOrigin, ReceivedCall } from "./stages.ts";

/** Counts bytes as they arrive: a declared length alone takes nothing from other clients. */
export async function receiveBody(
  deps: Deps,
  authenticated: AuthenticatedCall,
): Promise<ReceivedCall> {
  const { call, format } = authenticated;
  const { check, add, release } = reserveBytes(deps, ownerOf(authenticated.caller));
  try {
    const limits = bodyLimits(deps, "GUARD_BODY_MIB");
    const bytes = await readBody(call.request, limits, { onLength: check, onBytes: add });
    const user = isHookAgent(format) ? findUser(call.request.headers) : undefined;
    const origin = { ...readOrigin(deps, call), user };
    const recorded = !isPlayground(authenticated);
    const body = { bytes, format, origin, recorded, approval_mode: "explicit" as const };
    return { ...authenticated, body, [Symbol.dispose]: release };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** A collector key cannot use the playground, so its callers cannot hide from Activity. */
const isPlayground = ({ caller, call }: AuthenticatedCall): boolean =>
  caller.kind !== "collector" && call.request.headers.get("x-ag-playground") === "1";

function readOrigin(
  { settings }: Deps,
  { request, client, trace_id, request_id }: DirectCall,
): EvaluationOrigin {
  const forwarded = request.headers.get("x-forwarded-for");
  const client_address = findClientAddress(client(), forwarded, settings.TRUSTED_PROXIES);
  const user_agent = request.headers.get("user-agent");
  return { trace_id, request_id, client_address, user_agent };
}
