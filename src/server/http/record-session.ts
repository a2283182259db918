/** Records sign-ins and sign-outs in the audit log, and limits sign-ins. */
import { type AuditAuthor, type AuditChange, recordChange } from "../../db/record-change.ts";
import type { Deps } from "../../deps.ts";
import { createMinuteSampler, type MinuteSampler } from "../../lib/minute-sampler.ts";
import type { RequestIds } from "../../route.ts";

declare module "../../deps.ts" {
  interface Deps {
    sampleFailedSignIn: MinuteSampler;
    /** For each administrator token or principal. */
    sampleSession: MinuteSampler;
    /** Returns whether an administrator token may start another session. */
    allowSession: MinuteSampler;
  }
}

/** Recorded per minute and node: anyone can fail to sign in. The log has every failed request. */
const MAX_FAILED_SIGN_INS = 20;

/** Recorded per minute, node and subject: a script that signs in for each request would hide other records. */
const MAX_SESSIONS = 10;

/** Started per minute, node and token: each node has the ended ones in memory until they expire. */
const MAX_STARTED_SESSIONS = 120;

export const createSessionSamplers = (): Pick<
  Deps,
  "sampleFailedSignIn" | "sampleSession" | "allowSession"
> => ({
  sampleFailedSignIn: createMinuteSampler(MAX_FAILED_SIGN_INS),
  sampleSession: createMinuteSampler(MAX_SESSIONS),
  allowSession: createMinuteSampler(MAX_STARTED_SESSIONS),
});

export type SignInPlace = "console" | "Store";

export async function recordSession(
  deps: Deps,
  author: AuditAuthor,
  verb: "sign_in" | "sign_out",
  session: Pick<AuditChange, "id" | "gateway_id"> & { name: SignInPlace },
): Promise<void> {
  const { id, name } = author.actor;
  if (!deps.sampleSession(deps.now(), `${verb} ${session.gateway_id} ${id} ${name}`)) return;
  const change = { resource: "session", verb, ...session, before: null, after: null } as const;
  await recordChange(deps, author, change);
}

/** Never throws: the caller reports the failed sign-in itself. */
export async function recordFailedSignIn(
  deps: Deps,
  ids: RequestIds,
  name: SignInPlace,
): Promise<void> {
  if (!deps.sampleFailedSignIn(deps.now(), name)) return;
  const author = { ...ids, actor: { id: null, name: "Unknown client" } };
  const change = { resource: "session", verb: "fail", id: deps.newId(), name } as const;
  try {
    await recordChange(deps, author, { ...change, gateway_id: null, before: null, after: null });
  } catch (thrown) {
    deps.log("audit_failed", { level: "error", error: thrown });
  }
}
