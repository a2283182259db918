/** Computes hashes of matched texts, by which exemptions recognize them without storing them. */

import type { Fingerprints } from "../db/tables/evaluation-events.ts";
import type { Deps } from "../deps.ts";
import { derivedKey, type Keyring } from "../lib/crypto/seal.ts";
import { MAX_LOCATIONS } from "../policy/create-finding.ts";
import type { Match } from "../policy/detector.ts";
import { hashPassage } from "../policy/passage.ts";
import type { PolicyOutcome, PolicyRunInput } from "../policy/policy-run.ts";
import { EVERY_DETECTOR, type Exemptions } from "../snapshot/snapshot.ts";

/** 132 bits of the hash. */
const CHARACTERS = 22;

/** Returns a function that returns the hash of a match, or null if it has no location. */
function createFingerprinter(keyring: () => Keyring) {
  /** Lazy: each call of `keyring` stats the key file. */
  let key: Uint8Array | undefined;
  return (detector_id: string, { at }: Pick<Match, "at">): string | null => {
    if (!at) return null;
    key ??= derivedKey(keyring(), "exemptions");
    const text = at.segment.text.slice(at.start, at.end);
    const hasher = new Bun.CryptoHasher("sha256", key).update(`${detector_id} ${text}`);
    return hasher.digest("base64url").slice(0, CHARACTERS);
  };
}

/** Returns undefined for a policy without exemptions. */
export function createExemptionCheck(
  exemptions: Exemptions | undefined,
  { keyring, now }: Pick<Deps, "keyring" | "now">,
): PolicyRunInput["isExempt"] {
  if (!exemptions) return undefined;
  const fingerprint = createFingerprinter(keyring);
  const all = exemptions.get(EVERY_DETECTOR);
  return (detector_id, match, hasPassage) => {
    const own = exemptions.get(detector_id);
    const hash = own && fingerprint(detector_id, match);
    if (typeof hash === "string" && own?.has(hash)) return true;
    if (!hasPassage || !match.at || !(own ?? all)) return false;
    const passage = hashPassage(match.at);
    const expiry = Math.max(own?.get(passage) ?? 0, all?.get(passage) ?? 0);
    return now().getTime() < expiry;
  };
}

/** Returns the hashes that are stored with an event, so that its findings can be exempted later. */
export function fingerprintFindings(
  { findings, matches }: Pick<PolicyOutcome, "findings" | "matches">,
  keyring: () => Keyring,
): Fingerprints | null {
  if (findings.length === 0) return null;
  const fingerprint = createFingerprinter(keyring);
  return findings.map(({ source: { detector_id } }, index) =>
    detector_id === undefined
      ? []
      : (matches[index] ?? [])
          .slice(0, MAX_LOCATIONS)
          .map((match) => fingerprint(detector_id, match)),
  );
}
