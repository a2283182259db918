/** Inspects texts one after the other. Other evaluations run in between, if the inspection may pause. */
import type { InspectionContext, Inspector, Match, PartialInspection } from "./detector.ts";
import { isMemoized, type Segment } from "./segment.ts";

/** Characters that are read before others run. A detector takes up to 20 ms for hostile text of this length. */
export const CHARACTERS_PER_TURN = 16 * 1024;
/** Each text costs as much as this many characters, because its forms are decoded and its matches collected. */
const CHARACTERS_PER_TEXT = 128;

/** Steps of an inspection. Yields the cost of each, in characters. */
export type InspectionSteps<Result> = Generator<number, Result>;

/** Computes what the inspection of a long text uses, so that others run in between. */
export type PrepareText = (text: Segment) => InspectionSteps<unknown>;

type Pausable = Pick<InspectionContext, "waitForTurn">;

/** Inspects each text separately. Avoids an allocation for the common payload of one text. */
export function inspectEach(
  inspect: (text: Segment) => readonly Match[],
  partial?: PartialInspection,
  prepare?: PrepareText,
): Inspector {
  const inspector: Inspector = (texts, context) => {
    const [only] = texts;
    return only && texts.length === 1 && !(prepare && isLong(only))
      ? inspect(only)
      : runSteps(listSteps(texts, inspect, prepare), context);
  };
  return partial ? Object.assign(inspector, { partial }) : inspector;
}

/** Returns the results of `inspect` for all texts, in their order. */
export const inspectAll = <Result>(
  texts: readonly Segment[],
  inspect: (text: Segment) => readonly Result[],
  context: Pausable,
): readonly Result[] | Promise<readonly Result[]> => runSteps(listSteps(texts, inspect), context);

export function* listSteps<Result>(
  texts: readonly Segment[],
  inspect: (text: Segment) => readonly Result[],
  prepare?: PrepareText,
): InspectionSteps<readonly Result[]> {
  const found: Result[] = [];
  let cost = 0;
  for (const text of texts) {
    if (cost > 0) yield cost;
    if (prepare && isLong(text)) yield* prepare(text);
    for (const result of inspect(text)) found.push(result);
    if (!isMemoized(texts)) text.memo = undefined;
    cost = costOf(text);
  }
  return found;
}

const isLong = ({ text }: Segment): boolean => text.length > CHARACTERS_PER_TURN;

export const costOf = ({ text }: Pick<Segment, "text">): number =>
  text.length + CHARACTERS_PER_TEXT;

/** Returns a promise only if the inspection pauses. */
export function runSteps<Result>(
  steps: InspectionSteps<Result>,
  { waitForTurn }: Pausable,
): Result | Promise<Result> {
  let cost = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    cost += step.value;
    if (waitForTurn && cost >= CHARACTERS_PER_TURN) {
      return waitForTurn(cost).then(() => runSteps(steps, { waitForTurn }));
    }
  }
}

/** Runs all steps without a pause. */
export function finishSteps<Result>(steps: InspectionSteps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
