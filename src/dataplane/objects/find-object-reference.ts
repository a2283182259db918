/** Finds the stored object that a response continues: an earlier response or a conversation. */
import { isObject } from "../../lib/json/json-object.ts";
import { type MemberScan, parseMember } from "../../lib/json/scan-members.ts";
import type { RequestBody } from "../body/request-body.ts";

export const OBJECT_REFERENCES: readonly string[] = ["previous_response_id", "conversation"];

export function findObjectReference(body: RequestBody): string | undefined {
  if (body.kind !== "json") return undefined;
  const { members } = body;
  return OBJECT_REFERENCES.map((name) => readId(members, name)).find((id) => id !== undefined);
}

function readId(members: MemberScan<string>, name: string): string | undefined {
  const value = parseMember(members, name);
  const id = isObject(value) ? value.id : value;
  return typeof id === "string" && id !== "" ? id : undefined;
}
