/** Accumulates the risk of the turns of a session, in the database, so that all nodes count together. */
import type { Db } from "../db/db.ts";
import { lockSessionRisk, storeSessionRisk } from "../db/tables/session-risks.ts";
import { derivedKey } from "../lib/crypto/seal.ts";
import { combineRisks } from "../policy/combine-risks.ts";
import type { DetectorServices } from "../policy/detector.ts";
import type { ExtractedEvaluation } from "./stages.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

/** One turn of a session, without its text. */
export interface RiskyTurn {
  /** Keyed hash of the session. */
  id: string;
  turn_hash: string;
  collector_id: string;
  score: number;
  half_life_s: number;
  now: Date;
}

/** Half-lives after which a session is forgotten: its risk is below 1 %. */
const HALF_LIVES = 7;

export const addSessionRisk = (
  db: Db,
  { id, turn_hash, collector_id, score, half_life_s, now }: RiskyTurn,
): Promise<{ risk: number; turns: number }> =>
  db.transaction(async (tx) => {
    const row = await lockSessionRisk(tx, id);
    const half_life_ms = half_life_s * 1000;
    const age_ms = row ? now.getTime() - new Date(row.updated_at).getTime() : 0;
    const isKnown = row !== undefined && age_ms < HALF_LIVES * half_life_ms;
    const before = isKnown
      ? { risk: row.risk * 2 ** (-Math.max(0, age_ms) / half_life_ms), turns: row.turns }
      : { risk: 0, turns: 0 };
    // A repeated request, or the evaluation after an approval.
    if (isKnown && row.turn_hash === turn_hash) return before;
    const after = { risk: combineRisks(before.risk, score), turns: before.turns + 1 };
    const expires_at = new Date(now.getTime() + HALF_LIVES * half_life_ms).toISOString();
    const updated_at = now.toISOString();
    await storeSessionRisk(tx, {
      id,
      collector_id,
      turn_hash,
      ...after,
      updated_at,
      expires_at,
    });
    return after;
  });

/** The result is a service of detectors. It returns undefined for an evaluation without a session, and for a test. */
export function createRiskCounter(
  host: EvaluationHost,
  evaluation: ExtractedEvaluation,
): DetectorServices["addRisk"] {
  const { collector, keyring, request, origin, recorded, session_id } = evaluation;
  // Inline, a request without a session has the id of its trace instead.
  const isSession = request.session_id !== undefined && !session_id.endsWith(origin.trace_id);
  return async ({ scope, score, texts, half_life_s }) => {
    if (!isSession || !recorded) return undefined;
    const hash = (...parts: readonly string[]) =>
      new Bun.CryptoHasher("sha256", derivedKey(keyring(), "session_risks"))
        .update(JSON.stringify(parts))
        .digest("hex");
    return await host.addRisk({
      id: hash("session", collector.id, session_id, scope),
      turn_hash: hash("turn", ...texts),
      collector_id: collector.id,
      score,
      half_life_s,
      now: host.now(),
    });
  };
}
