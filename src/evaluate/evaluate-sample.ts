/** Evaluates the sample of a policy test and measures its detectors. Runs in the main thread and in workers. */
import type { PolicyTestResult } from "../contract/guard/test-policy.ts";
import { readPayload } from "../policy/payload/read-payload.ts";
import { evaluate } from "./evaluate-body.ts";
import { measureDetectors } from "./measure-detectors.ts";
import { selectContent } from "./select-content.ts";
import type { EvaluationInput } from "./stages.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

/** Returns a PolicyTestResult as text: cloning its objects would block the main thread for longer than parsing them. */
export async function evaluateSample(
  host: EvaluationHost,
  input: EvaluationInput,
): Promise<string> {
  let readTimes = (): PolicyTestResult["detector_times"] => [];
  const measuringHost: EvaluationHost = {
    ...host,
    // Stays in this worker, which measures the detectors.
    worker: host.worker && "huge",
    async selectPolicy(selector) {
      const selection = await host.selectPolicy(selector);
      if (!selection.program) return selection;
      const { measured, readTimes: read } = measureDetectors(selection.program);
      readTimes = read;
      return { ...selection, program: measured };
    },
  };
  const { verdict, transformed } = await evaluate(measuringHost, input);
  const { direction = "input", protocol = "all", attributes = {}, payload } = input.request;
  const read = readPayload(payload, { direction, protocol, attributes, is_foreign_body: false });
  const result: PolicyTestResult = {
    ...verdict,
    transformed_payload: transformed === null ? null : JSON.parse(transformed),
    // The caller sent the text, so it is returned unmasked.
    content: selectContent("full", read, { hidden: [], status: verdict.status }) ?? [],
    detector_times: readTimes(),
  };
  return JSON.stringify(result);
}
