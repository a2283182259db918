/** Creates a detector of each local kind. */
import { DIRECTIONS, type Direction } from "../../src/contract/guard/evaluate.ts";
import { detectors } from "../../src/policy/detectors/all.ts";
import type { Admin } from "../gateway/portcullis.ts";

/** Settings of the kinds that find nothing without any. */
const SETTINGS: Record<string, object> = {
  tool_permission: { denied_tools: ["shell*"] },
  size_limit: { max_characters: 10_000_000 },
  prompt_moderation: {
    keywords: ["portcullis-forbidden", "secret project"],
    regex: ["\\bcodename-\\d+\\b"],
  },
};

export interface Rule {
  detector_id: string;
  action: string;
}

/** Returns rules that report, of all local detectors that read a source of a direction other than attachments. */
export async function createEveryRule(admin: Admin): Promise<Record<Direction, Rule[]>> {
  const every: Record<Direction, Rule[]> = { input: [], output: [] };
  for (const { kind, remote, reads } of detectors.values()) {
    const directions = DIRECTIONS.filter((direction) =>
      reads[direction].some((source) => source !== "attachment"),
    );
    if (remote || !directions.length) continue;
    const rule = await createRule(admin, { kind, settings: SETTINGS[kind] ?? {} });
    for (const direction of directions) every[direction].push(rule);
  }
  return every;
}

export async function createRule(
  admin: Admin,
  { kind, settings = {}, action = "report" }: { kind: string; settings?: object; action?: string },
): Promise<Rule> {
  const body = { name: `${kind} ${action}`, kind, settings };
  const { id } = await admin<{ id: string }>("POST", "/v1/detectors", body);
  return { detector_id: id, action };
}
