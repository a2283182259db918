/** An audit record as a sentence, with a link to the resource if it still exists. */
import type { AuditRecord } from "../../contract/audit.ts";
import { describeAudit } from "../../contract/describe-audit.ts";
import { Link } from "../router.tsx";
import { showHidden } from "../ui/show-hidden.ts";

export function AuditSentence({ record }: { record: AuditRecord }) {
  const { actor, phrase, name, details } = describeAudit(record);
  const [before = "", after] = phrase.split("{name}");
  const path = record.exists ? findPath(record) : undefined;
  return showHidden(
    <span className="sentence">
      <strong>{actor}</strong> {before}
      {after !== undefined && (path ? <Link to={path}>{name}</Link> : name)}
      {after}
      {details && `: ${details}`}.
    </span>,
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
