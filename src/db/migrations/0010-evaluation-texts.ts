/** Stores an evaluation as one row in few indexes: each index is a page to write before the response. */
import type { Migration } from "./migration.ts";

export const evaluationTexts: Migration = {
  id: "0010-evaluation-texts",
  sql: `
    ALTER TABLE evaluation_events ADD COLUMN places TEXT;
    ALTER TABLE evaluation_events ADD COLUMN texts TEXT;
    UPDATE evaluation_events SET places = c.places, texts = c.texts
      FROM evaluation_contents c WHERE c.id = evaluation_events.id;
    DROP TABLE evaluation_contents;
    -- A trace that started here has the digits of its event's id and is found by the id.
    DROP INDEX evaluation_events_by_trace;
    CREATE INDEX evaluation_events_by_trace ON evaluation_events (trace_id)
      WHERE trace_id <> REPLACE(id, '-', '');
  `,
};
