/** Inspects texts one after the other. Other evaluations run in between, if the inspection may pause. */
import type { InspectionContext, Inspector, Match, PartialInspection } from "./detector.ts";
import { isMemoized, type Segment } from "./segment.ts";

/** Characters that are read before others run. A detector takes up to 20 ms for hostile text of this length. */
const CHARACTERS_PER_TURN = 16 * 1024;
/** Each text costs as much as this many characters, because its forms are decoded and its matches collected. */
const CHARACTERS_PER_TEXT = 128;

/** Steps of an inspection. Yields the number of characters that each step reads. */
export type InspectionSteps<Result> = Generator<number, Result>;

type Pausable = Pick<InspectionContext, "waitForTurn">;

/** Inspects each text separately. Avoids an allocation for the common payload of one text. */
export function inspectEach(
  inspect: (text: Segment) => readonly Match[],
  partial?: PartialInspection,
): Inspector {
  const inspector: Inspector = (texts, context) => {
    const [only] = texts;
    return only && texts.length === 1 ? inspect(only) : inspectAll(texts, inspect, context);
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
): InspectionSteps<readonly Result[]> {
  const found: Result[] = [];
  for (const text of texts) {
    for (const result of inspect(text)) found.push(result);
    if (!isMemoized(texts)) text.memo = undefined;
    yield measureText(text);
  }
  return found;
}

export const measureText = ({ text }: Pick<Segment, "text">): number =>
  text.length + CHARACTERS_PER_TEXT;

/** Returns a promise only if the inspection pauses. */
export function runSteps<Result>(
  steps: InspectionSteps<Result>,
  { waitForTurn }: Pausable,
): Result | Promise<Result> {
  if (!waitForTurn) return runTurn(steps, Infinity).value as Result;
  const step = runTurn(steps, CHARACTERS_PER_TURN);
  return step.done ? step.value : continueSteps(steps, waitForTurn);
}

async function continueSteps<Result>(
  steps: InspectionSteps<Result>,
  waitForTurn: NonNullable<Pausable["waitForTurn"]>,
): Promise<Result> {
  for (;;) {
    await waitForTurn(CHARACTERS_PER_TURN);
    const step = runTurn(steps, CHARACTERS_PER_TURN);
    if (step.done) return step.value;
  }
}

/** Runs steps until they have read `characters`. Returns the last one. */
function runTurn<Result>(
  steps: InspectionSteps<Result>,
  characters: number,
): IteratorResult<number, Result> {
  let read = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return step;
    read += step.value;
    if (read >= characters) return step;
  }
}
