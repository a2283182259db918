/** Instances at which each principal signs in with an own account. */
import type { McpRegistryRow } from "../../db/tables/registries.ts";

export type ForwardedInstance = McpRegistryRow & {
  auth: Extract<McpRegistryRow["auth"], { type: "forwarded" }>;
};

export const isForwarded = (instance: McpRegistryRow): instance is ForwardedInstance =>
  instance.auth?.type === "forwarded";
