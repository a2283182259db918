/** Members of a cloud identity that belong to one of its sources. */

export interface SourceMembers {
  required: readonly string[];
  /** Allowed, but not required. */
  optional: readonly string[];
}

/** By type of `auth`, then `source`. Members that are not listed belong to all sources. */
export const CLOUD_SOURCES: Readonly<Record<string, Readonly<Record<string, SourceMembers>>>> = {
  aws: {
    access_key: { required: ["access_key_id", "secret_access_key"], optional: ["session_token"] },
    default_chain: { required: [], optional: [] },
  },
  azure: {
    client_secret: {
      required: ["tenant_id", "client_id", "client_secret"],
      optional: ["authority_host"],
    },
    workload_identity: { required: [], optional: ["tenant_id", "client_id", "authority_host"] },
    managed_identity: { required: [], optional: ["client_id"] },
  },
  gcp_service_account: {
    key: { required: ["credentials"], optional: [] },
    workload_identity: { required: ["credentials"], optional: [] },
    metadata: { required: [], optional: [] },
  },
};

/** Returns whether a member is required, allowed or without effect for a source. */
export function classifyMember(
  type: string,
  source: string,
  name: string,
): "required" | "optional" | "unused" {
  const sources = CLOUD_SOURCES[type] ?? {};
  const own = sources[source];
  if (own?.required.includes(name)) return "required";
  if (own?.optional.includes(name)) return "optional";
  const isListed = Object.values(sources).some(
    ({ required, optional }) => required.includes(name) || optional.includes(name),
  );
  return isListed ? "unused" : "optional";
}
