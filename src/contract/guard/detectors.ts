/** Wire shapes of detectors: configured matchers that the rules of policies refer to. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { resource } from "../resource.ts";
import { Id, Name, storedMembers } from "../shapes.ts";

export const DetectorInput = z.strictObject({
  name: Name,
  kind: z.string().max(64).describe("Kind of detector: see `GET /v1/detectors/catalog`."),
  settings: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Settings of the kind. Left out: its defaults."),
  enabled: z
    .boolean()
    .default(true)
    .describe("false: every rule that uses it is skipped immediately."),
});
export type DetectorInput = z.infer<typeof DetectorInput>;

export const DetectorResource = z.object({ ...DetectorInput.shape, ...storedMembers });
export type DetectorResource = z.infer<typeof DetectorResource>;

export const detectors = resource({
  noun: "detector",
  plural: "detectors",
  path: "/v1/detectors",
  id: "detector_id",
  input: DetectorInput,
  reply: DetectorResource,
});

export const DetectorUse = z.object({
  policy_id: Id,
  policy_name: Name,
  version: z.int().describe("Version of the policy: the latest, or one that a collector pins."),
  is_latest: z.boolean(),
});
export type DetectorUse = z.infer<typeof DetectorUse>;

export const listDetectorUses = endpoint({
  name: "list_detector_uses",
  method: "GET",
  path: "/v1/detectors/:detector_id/uses",
  auth: "read",
  summary: "List the policy versions in force that use a detector",
  reply: z.object({ items: z.array(DetectorUse) }),
});

export const listDetectorCatalog = endpoint({
  name: "list_detector_catalog",
  method: "GET",
  path: "/v1/detectors/catalog",
  auth: "read",
  summary: "List the kinds of detectors, what they read, and the schema of their settings",
  reply: z.object({
    items: z.array(
      z.object({
        kind: z.string(),
        title: z.string(),
        summary: z.string(),
        reads: z.object({ input: z.array(z.string()), output: z.array(z.string()) }),
        masks: z.boolean().describe("A rule may transform its matches."),
        scores: z
          .boolean()
          .describe("Scores every text from 0 to 1; the setting `threshold` can be calibrated."),
        settings_schema: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
});
