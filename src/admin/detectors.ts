/** Operations on detectors. A change creates a new version of each policy that uses the detector. */
import { z } from "zod";
import { describeIssues } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import {
  type DetectorInput,
  type DetectorResource,
  type DetectorUse,
  detectors,
  listDetectorCatalog,
  listDetectorUses,
} from "../contract/guard/detectors.ts";
import { detectorTable } from "../db/tables/detectors.ts";
import { policyTable, versionsInForce } from "../db/tables/policies.ts";
import { registryTable } from "../db/tables/registries.ts";
import type { Deps } from "../deps.ts";
import { classifyHost } from "../net/address-guard.ts";
import type { Detector } from "../policy/detector.ts";
import { detectors as catalog } from "../policy/detectors/all.ts";
import { type Route, route } from "../route.ts";
import { usesDetector } from "../snapshot/build-policy-document.ts";
import type { Reach } from "./check-allow-private.ts";
import { saveVersion } from "./policy-versions.ts";
import { type ResourceDefinition, resourceRoutes } from "./resource-routes.ts";
import { detectorSecrets, maskSecrets, sealSecrets } from "./seal-secrets.ts";

const definition: ResourceDefinition<DetectorResource, DetectorInput, DetectorResource> = {
  table: detectorTable,
  id: "detector_id",
  scopeOf: () => ({}),
  toReply: (deps, row) => ({
    ...row,
    settings: maskSecrets(deps.keyring(), detectorSecrets(row.kind, row.id), row.settings),
  }),
  reach: toDetectorReach,
  toColumns: async (deps, input, { id }, before) => ({
    ...input,
    settings: await checkSettings(deps, id, input, before),
  }),
  async checkRemovable(deps, { id }) {
    const uses = await findUses(deps, id);
    if (uses.length === 0) return;
    const names = uses.map(({ policy_name, version }) => `"${policy_name}" (version ${version})`);
    throw new AppError(
      "has_dependents",
      `The policies ${names.join(", ")} use this detector. Remove it from them, and unpin their old versions, first.`,
    );
  },
};

export function toDetectorReach({ settings }: Pick<DetectorResource, "settings">): Reach {
  return { allow_private: settings.allow_private === true, target: settings.url };
}

/** Returns the policy versions that are evaluated, latest or pinned, with a rule of the detector. */
async function findUses({ db }: Deps, detector_id: string): Promise<DetectorUse[]> {
  const latest = new Map((await policyTable.all(db)).map(({ id, version }) => [id, version]));
  const using = (await versionsInForce(db)).filter(({ document }) =>
    usesDetector(document, detector_id),
  );
  return using.map(({ policy_id, document, number }) => ({
    policy_id,
    policy_name: document.name,
    version: number,
    is_latest: latest.get(policy_id) === number,
  }));
}

export const detectorRoutes: Route[] = [
  route(listDetectorUses, async (deps, { params: { detector_id } }) => {
    if (!(await detectorTable.find(deps.db, { id: detector_id }))) {
      throw new AppError("not_found", `Unknown detector ${detector_id}.`);
    }
    return { items: await findUses(deps, detector_id) };
  }),
  route(listDetectorCatalog, () => ({
    items: [...catalog.values()].map(
      ({ kind, title, summary, reads, masks, scores, settings }) => ({
        kind,
        title,
        summary,
        reads: { input: [...reads.input], output: [...reads.output] },
        masks,
        scores,
        settings_schema: z.toJSONSchema(settings, { io: "input", unrepresentable: "any" }),
      }),
    ),
  })),
  ...resourceRoutes(detectors, definition).map((bound) =>
    bound.endpoint === detectors.update ? withNewVersions(bound) : bound,
  ),
];

/** Creates new policy versions after an update, because a version contains its detectors' settings. */
function withNewVersions({ endpoint, handle }: Route): Route {
  return {
    endpoint,
    async handle(deps, call) {
      const id = call.params.detector_id ?? "";
      const before = await detectorTable.find(deps.db, { id });
      const reply = await handle(deps, call);
      const after = await detectorTable.find(deps.db, { id });
      if (
        !after ||
        (before?.name === after.name && Bun.deepEquals(before.settings, after.settings))
      ) {
        return reply;
      }
      const updated_at = deps.now().toISOString();
      for (const policy of await policyTable.all(deps.db)) {
        if (!usesDetector(policy, id)) continue;
        const next = { ...policy, version: policy.version + 1, updated_at };
        await policyTable.update(deps.db, policy.id, next);
        const reason = `The detector "${after.name}" changed.`;
        await saveVersion(deps, next, { reason, actor: call.actor.name });
      }
      return reply;
    },
  };
}

export const describeUnknownKind = (): string => `must be one of ${[...catalog.keys()].join(", ")}`;

/** Returns the settings with all defaults, so that a later release does not change them, and secrets sealed. */
async function checkSettings(
  deps: Deps,
  id: string,
  { kind, settings }: DetectorInput,
  before: DetectorResource | undefined,
): Promise<Record<string, unknown>> {
  const detector = catalog.get(kind);
  if (!detector) {
    throw new AppError("validation_failed", `kind: ${describeUnknownKind()}`);
  }
  if (before && before.kind !== kind) {
    throw new AppError("validation_failed", "kind: cannot be changed. Create another detector.");
  }
  const parsed = parseSettings(detector, settings);
  await checkTargets(deps, parsed, before);
  return sealSecrets(deps.keyring(), detectorSecrets(kind, id), parsed, before?.settings);
}

function parseSettings(detector: Detector, settings: unknown): Record<string, unknown> {
  const { data, error } = detector.settings.safeParse(settings, { reportInput: false });
  // Every detector's settings are an object.
  if (!error) return data as Record<string, unknown>;
  const issues = error.issues.map((issue) => ({ ...issue, path: ["settings", ...issue.path] }));
  throw new AppError("validation_failed", describeIssues(issues));
}

/** Checks the registry or address to which a detector sends text. */
async function checkTargets(
  deps: Deps,
  { url, allow_private, registry_id }: Record<string, unknown>,
  before: DetectorResource | undefined,
): Promise<void> {
  if (
    typeof registry_id === "string" &&
    !(await registryTable.find(deps.db, { id: registry_id }))
  ) {
    throw new AppError(
      "validation_failed",
      `settings.registry_id: unknown registry ${registry_id}`,
    );
  }
  if (typeof url !== "string") return;
  const was = before?.settings.url;
  if (typeof was === "string" && new URL(was).origin !== new URL(url).origin) {
    // The stored headers are secrets, which must not be sent to another host.
    const text = "settings.url: the host cannot be changed. Create another detector.";
    throw new AppError("validation_failed", text);
  }
  if (allow_private === true) return;
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" || classifyHost(hostname) === "refused") {
    const text = "settings.url: must be https and public unless allow_private is true";
    throw new AppError("validation_failed", text);
  }
}
