/** Administrator roles and their permissions. */
import type { Permission } from "./endpoint.ts";

export const ROLES = ["owner", "admin", "approver", "auditor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

export const PERMISSIONS: Record<Role, readonly Permission[]> = {
  owner: ["read", "write", "approve", "audit", "own"],
  admin: ["read", "write", "approve", "audit"],
  approver: ["read", "approve"],
  auditor: ["read", "audit"],
  viewer: ["read"],
};
