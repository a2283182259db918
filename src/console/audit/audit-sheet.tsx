/** Details of an audit record: ids, and the values before and after. */
import type { AuditRecord } from "../../contract/audit.ts";
import { Timestamp } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldChanges } from "../ui/field-changes.tsx";
import { AuditSentence } from "./audit-sentence.tsx";

interface AuditSheetProps {
  record: AuditRecord;
  onClose: () => void;
  onFilter: (changes: Record<string, string>) => void;
}

export function AuditSheet({ record, onClose, onFilter }: AuditSheetProps) {
  const { actor, action, name, resource_id, before, after } = record;
  return (
    <Dialog title="Audit record" onClose={onClose} sheet>
      <p>
        <AuditSentence record={record} />
      </p>
      <div className="row tight">
        <button type="button" className="button small" onClick={() => onFilter({ actor })}>
          All by {actor}
        </button>
        <button type="button" className="button small" onClick={() => onFilter({ resource_id })}>
          All for {name}
        </button>
      </div>
      <dl className="facts">
        <dt>Time</dt>
        <dd>
          <Timestamp at={record.at} precise />
        </dd>
        <dt>Action</dt>
        <dd>
          <code>{action}</code>
        </dd>
        <dt>ID</dt>
        <dd>
          <code>{resource_id}</code>
        </dd>
        <dt>Request ID</dt>
        <dd>
          <code>{record.request_id ?? "none"}</code>
        </dd>
        <dt>Trace ID</dt>
        <dd>
          <code>{record.trace_id ?? "none"}</code>
        </dd>
      </dl>
      {(before ?? after) && (
        <>
          <h3>Changes</h3>
          <FieldChanges before={before} after={after} />
        </>
      )}
    </Dialog>
  );
}
