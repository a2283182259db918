/** Runs the detector of a rule on the segments that it reads; the fail mode decides about a failure. */
import { AppError, type ErrorCode } from "../contract/errors.ts";
import type { CompiledRule } from "./compile-policy.ts";
import type { InspectionContext, Match } from "./detector.ts";
import { dropRepeated } from "./drop-repeated.ts";
import { hasPassages } from "./passage.ts";
import type { Matches, PolicyRun } from "./policy-run.ts";
import { type MarkupPage, originsOf, type Segment, sourceByOrigin } from "./segment.ts";
import type { TextSpan } from "./views/source-map.ts";

/** Returns a promise only if the detector does. */
export function inspectRule(run: PolicyRun, rule: CompiledRule): Matches | Promise<Matches> {
  const reads = (segment: Segment) =>
    readsSource(rule, segment) && (!segment.isNumber || rule.numbers);
  const segments = rule.origins ? splitByAuthors(run.input) : run.input.segments;
  try {
    const found = rule.inspect(
      segments.every(reads) ? segments : segments.filter(reads),
      createContext(run, rule),
    );
    if (found instanceof Promise) return awaitMatches(run, rule, found);
    run.detectors.run += 1;
    return selectMatches(run, rule, found);
  } catch (cause) {
    return recordFailure(run, rule, cause);
  }
}

const splitByAuthors = ({ segments, parts }: PolicyRun["input"]): readonly Segment[] =>
  parts.size === 0 ? segments : segments.flatMap((segment) => parts.get(segment) ?? segment);

/** Returns whether a rule reads text of this source and origin. */
export function readsSource(
  { reads, origins, separatesFiles }: CompiledRule,
  { source, isFile, page }: Pick<Segment, "source" | "isFile"> & { page: MarkupPage | null },
): boolean {
  // The text of a page without its tags has the origin of the page.
  if (origins && !originsOf(page?.source ?? { source, isFile }).some((one) => origins.has(one))) {
    return false;
  }
  // A page that the payload does not declare is no attachment: lists of links would be letters written apart.
  const isAttachment = page === null || page.isDeclared;
  if (separatesFiles) return isAttachment && reads.has(sourceByOrigin({ source, isFile }));
  return (isAttachment && reads.has(source)) || (page !== null && reads.has(page.source.source));
}

/** Returns whether a rule reads attachments and documents. */
export const readsDocuments = (rule: CompiledRule): boolean =>
  readsSource(rule, { source: "attachment", isFile: false, page: null });

/** Adds what only some detectors read. */
function createContext(
  { input: { context, isExempt }, found = [] }: PolicyRun,
  rule: CompiledRule,
): InspectionContext {
  const { detector, accumulates } = rule;
  if (!accumulates && !isExempt) return context;
  return {
    ...context,
    ...(accumulates && { found }),
    isExempt:
      isExempt && ((match) => isExempt(detector.id, locateInWhole(match), hasPassages(rule))),
  };
}

async function awaitMatches(
  run: PolicyRun,
  rule: CompiledRule,
  found: Promise<Matches>,
): Promise<Matches> {
  try {
    const matches = await found;
    run.detectors.run += 1;
    return selectMatches(run, rule, matches);
  } catch (cause) {
    return recordFailure(run, rule, cause);
  }
}

/** Returns the matches to report, and keeps the highest score of a rule that only observes. */
function selectMatches(run: PolicyRun, rule: CompiledRule, all: Matches): Matches {
  const { detector, scores, observe, action } = rule;
  const { isExempt } = run.input;
  const matches = dropRepeated(run.input.parts.size === 0 ? all : all.map(locateInWhole));
  const found = isExempt
    ? matches.filter((match) => !isExempt(detector.id, match, hasPassages(rule)))
    : matches;
  const { kind } = detector;
  if (run.found) for (const match of found) run.found.push({ kind, match });
  if (!scores) return found;
  if (found.length > 0 && (observe || action === "report")) {
    const before = run.scores?.[detector.id] ?? 0;
    const highest = found.reduce((max, { confidence }) => Math.max(max, confidence), before);
    run.scores = { ...run.scores, [detector.id]: highest };
  }
  return found.filter(({ reported }) => reported !== false);
}

/** Returns a match in a part of a message as one in the message. */
function locateInWhole<Found extends Pick<Match, "at">>(match: Found): Found {
  const { at } = match;
  if (!at?.segment.part) return match;
  const { whole: segment, start } = at.segment.part;
  const shift = (span: TextSpan) => ({ start: span.start + start, end: span.end + start });
  const { whole } = at;
  return { ...match, at: { segment, ...shift(at), ...(whole && { whole: shift(whole) }) } };
}

/** Throws when the collector is fail-closed; otherwise lists the failed detector in the verdict and continues. */
function recordFailure(
  { input, detectors }: PolicyRun,
  { detector }: CompiledRule,
  cause: unknown,
): Matches {
  // Not failures of the detector, so the fail mode does not apply: the request ends, or is sent again later.
  if (cause instanceof AppError && NOT_FAILURES.has(cause.code)) throw cause;
  const { id, name, kind } = detector;
  const error =
    cause instanceof AppError ? cause.message : `The ${kind} detector failed unexpectedly.`;
  const details = { detector_id: id, detector_name: name, error };
  const text = `The detector "${name}" failed, and this collector is fail-closed.`;
  if (input.fail_mode === "closed") throw new AppError("detector_failed", text, { cause, details });
  detectors.failed.push(details);
  input.logFailure(details, cause);
  return [];
}

const NOT_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "client_closed",
  "shutting_down",
  "overloaded",
]);
