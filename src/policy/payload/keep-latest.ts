/** Collects the values of a payload that only an approver reads, up to a cap. */
import type { Payload, ScalarValue } from "./payload.ts";

const MAX_VALUES = 500;

/** Keeps the latest values: the approver decides about the last call. */
export function keepLatest(out: Payload, values: ScalarValue[], value: ScalarValue): void {
  values.push(value);
  if (values.length <= MAX_VALUES) return;
  values.shift();
  out.dropped_values++;
}
