/** An audit record as a sentence, with a link to the resource if it still exists. */
import type { AuditRecord } from "../../contract/audit.ts";
import { Link } from "../router.tsx";

export function AuditSentence({ record }: { record: AuditRecord }) {
  const { actor, name, summary } = record;
  const path = record.exists ? findPath(record) : undefined;
  // The name follows the actor, who may have the same name.
  const at = summary.indexOf(name, actor.length);
  return (
    <span className="sentence">
      <strong>{actor}</strong>
      {path && at >= 0 ? (
        <>
          {summary.slice(actor.length, at)}
          <Link to={path}>{name}</Link>
          {summary.slice(at + name.length)}
        </>
      ) : (
        summary.slice(actor.length)
      )}
    </span>
  );
}

/** Returns the path of the page or list that shows the resource. */
function findPath({ resource, resource_id: id, gateway_id, before, after }: AuditRecord) {
  const at = gateway_id && `/gateways/${gateway_id}`;
  switch (resource) {
    case "gateway":
      return `/gateways/${id}`;
    case "registry":
      return (after ?? before)?.type === "mcp"
        ? `${at}/store/instances/${id}`
        : `${at}/registries/${id}`;
    case "consumer":
      return `${at}/consumers/${id}`;
    case "policy":
      return `/policies/${id}`;
    case "detector":
      return `/detectors/${id}`;
    case "collector":
      return `/collectors/${id}`;
    case "token":
      return "/tokens";
    case "access_rule":
      return `${at}/store?tab=access`;
    case "issuer":
      return `${at}/store?tab=issuers`;
    case "store_install":
      return `${at}/store?tab=installs`;
    case "store_request":
      return `${at}/store`;
    default:
      return undefined;
  }
}
