/** Describes audit records as sentences, for the API, the export and the console. */

import { toReference } from "./guard/to-reference.ts";

type Values = Readonly<Record<string, unknown>>;

interface DescribedRecord {
  actor: string;
  action: string;
  resource: string;
  resource_id: string;
  /** Empty in records of older releases. */
  name: string;
  before: Values | null;
  after: Values | null;
}

export interface AuditSentence {
  actor: string;
  /** `{name}` marks the position of the name. */
  phrase: string;
  name: string;
  /** Changed fields. Empty if the phrase says everything. */
  details: string;
}

export function describeAudit(record: DescribedRecord): AuditSentence {
  const { actor, action, resource, before, after } = record;
  const verb = action.slice(resource.length + 1);
  const isInstance = resource === "registry" && (after ?? before)?.type === "mcp";
  const label = isInstance ? "instance" : (LABELS[resource] ?? resource.replaceAll("_", " "));
  const phrase = PHRASES[action] ?? `${VERBS[verb] ?? verb} the ${label} {name}`;
  const changes = verb === "update" && before && after ? listChanges(before, after) : [];
  const details = [...describeVersion(resource, after), ...changes].join(", ");
  return { actor, phrase, name: nameResource(record), details };
}

export function formatAuditSentence({ actor, phrase, name, details }: AuditSentence): string {
  const text = `${actor} ${phrase.replace("{name}", () => name)}`;
  return details ? `${text}: ${details}.` : `${text}.`;
}

/** Returns the name at the time of the change. Records of older releases have none, so their values are read. */
export function nameResource(record: Omit<DescribedRecord, "action">): string {
  const values = { ...record.before, ...record.after };
  const { name } = record;
  return (
    name ||
    NAMES[record.resource]?.(values, record.actor) ||
    text(values.name) ||
    record.resource_id
  );
}

/** Resources whose wire name is not what the console calls them. */
const LABELS: Record<string, string> = {
  access_rule: "access rule for",
  token: "administrator token",
  principal_token: "personal token",
  pinned_tool: "tool",
  override: "policy override for",
  exception: "exception for the passage",
  catalog_entry: "Store server",
  store_install: "install",
  store_request: "request",
  store_grant: "approval of an install",
  store_credential: "connected account",
  session: "sign-in",
  limit_state: "rate limit usage",
  limit_block: "rate limit block",
};

const VERBS: Record<string, string> = {
  create: "created",
  update: "changed",
  delete: "deleted",
  rotate: "rotated",
  revoke: "revoked",
  import: "imported",
  hold: "held back",
  approve: "accepted",
  reject: "rejected",
};

/** Actions that a verb and a resource do not describe well. */
const PHRASES: Record<string, string> = {
  "session.sign_in": "signed in to the {name}",
  "session.sign_out": "signed out of the {name}",
  "session.fail": "tried to sign in to the {name} with an invalid token",
  "store_install.create": "installed {name}",
  "store_install.update": "changed the install of {name}",
  "store_install.delete": "uninstalled {name}",
  "store_install.deny": "tried to install {name}, which the access rules do not allow",
  "store_install.block": "tried to install {name}, which an administrator must set up first",
  "store_request.create": "requested {name}",
  "store_request.update": "changed the request for {name}",
  "store_request.approve": "approved the request for {name}",
  "store_request.reject": "rejected the request for {name}",
  "store_request.cancel": "canceled the request for {name}",
  "store_request.expire": "closed the expired request for {name}",
  "store_request.supersede": "closed the request for {name}, because it is no longer needed",
  "store_grant.revoke": "revoked the approval of {name}",
  "store_credential.create": "connected an account to {name}",
  "store_credential.update": "connected an account to {name} again",
  "approval.approved": "approved a request of {name}",
  "approval.denied": "denied a request of {name}",
  "activity.delete": "erased recorded evaluations of one consumer",
  "secrets.rotate": "encrypted the stored secrets with the current key",
  "limit_state.delete": "reset the rate limit usage of {name}",
  "limit_block.delete": "unblocked {name}",
  "playground_token.create": "opened the playground as {name}",
  "feedback.create": "marked a finding of an evaluation",
  "feedback.update": "changed the mark of a finding",
  "feedback.delete": "removed the mark of a finding",
  "exemption.delete": "deleted an exemption of a policy",
  "calibration.delete": "reset the calibration of {name}",
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** Names the server, and the principal unless the principal acted. */
function nameServer({ code, principal_sub }: Values, actor: string): string {
  const principal = text(principal_sub);
  return principal && principal !== actor ? `${text(code)} for ${principal}` : text(code);
}

/** Names of resources without a member `name`. */
const NAMES: Record<string, (values: Values, actor: string) => string> = {
  store_install: nameServer,
  store_request: nameServer,
  store_grant: nameServer,
  principal_token: ({ name, principal_sub }) => `${text(name)} of ${text(principal_sub)}`,
  approval: ({ consumer_id }) => text(consumer_id),
  override: ({ consumer_id }) => text(consumer_id),
  exception: ({ passage_sha256 }) => toReference(text(passage_sha256)),
  issuer: ({ issuer }) => text(issuer),
  authorization_server: ({ issuer }) => text(issuer),
  limit_state: ({ subject }) => text(subject),
  limit_block: ({ subject }) => text(subject),
  access_rule: ({ subject_type, subject, target_type, target }) =>
    `${subject_type === "everyone" ? "everyone" : `${subject_type} ${subject}`} and ${
      target_type === "all" ? "all servers" : `${target_type} ${target}`
    }`,
};

function describeVersion(resource: string, after: Values | null): string[] {
  if (resource !== "policy" || !after) return [];
  const note = text(after.note);
  return [`version ${after.version}`, ...(note ? [`note "${shorten(note)}"`] : [])];
}

/** Members that change with every save, or are described otherwise. */
const UNLISTED: ReadonlySet<string> = new Set(["version", "updated_at", "note"]);
const MAX_LISTED = 3;

function listChanges(before: Values, after: Values): string[] {
  const changed = Object.keys(after).filter(
    (member) =>
      !UNLISTED.has(member) && JSON.stringify(before[member]) !== JSON.stringify(after[member]),
  );
  const listed = changed.slice(0, MAX_LISTED).map((member) => {
    const label = member.replace(/_id$/, "").replaceAll("_", " ");
    const [from, to] = [formatValue(before[member]), formatValue(after[member])];
    return from && to ? `${label} from ${from} to ${to}` : label;
  });
  const more = changed.length - listed.length;
  return more > 0 ? [...listed, `${more} more`] : listed;
}

const UUID = /^[\da-f]{8}-[\da-f-]{27}$/;

/** Returns undefined for a value that a sentence cannot contain, such as an object or an id. */
function formatValue(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value !== "string" || value === "" || UUID.test(value)) return undefined;
  return `"${shorten(value)}"`;
}

const MAX_VALUE_CHARACTERS = 60;
const shorten = (value: string): string =>
  value.length > MAX_VALUE_CHARACTERS ? `${value.slice(0, MAX_VALUE_CHARACTERS)}…` : value;
