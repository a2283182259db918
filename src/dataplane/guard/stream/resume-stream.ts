/**
 * Resumes the masked stream of a stored response. The upstream sends it from its start, because the text after the last
 * event that the client has received may be the rest of a match.
 */
import { canReadAs } from "../../../lib/text/fold-name.ts";
import type { GuardView } from "../../../snapshot/snapshot.ts";
import { splitUrl } from "../../match-endpoint.ts";
import type { RoutedRequest } from "../../stages.ts";

/** Returns the request without `starting_after`, if its response will be masked. */
export function requestWholeStream(routed: RoutedRequest, guard: GuardView): RoutedRequest {
  const { capability, search } = routed;
  const isMasked = guard.llm.output && guard.stream === "exact";
  const parameters = listParameters(search);
  const isResumed = capability === "stored_responses" && parameters.some(isStart);
  if (!isMasked || !isResumed) return routed;
  return { ...routed, search: `?${parameters.filter((each) => !isStart(each)).join("&")}` };
}

/** Returns the number of the last event that the client has received; undefined if it resumes no stream. */
export function readStartingAfter({
  capability,
  request,
}: Pick<RoutedRequest, "capability" | "request">): number | undefined {
  if (capability !== "stored_responses") return undefined;
  const [, value = ""] =
    listParameters(splitUrl(request.url).search).find(isStart)?.split("=") ?? [];
  const after = Number.parseInt(value, 10);
  return Number.isNaN(after) ? undefined : after;
}

const listParameters = (search: string): string[] => search.slice(1).split(/[&;]/);

const isStart = (parameter: string): boolean =>
  canReadAs(parameter.split("=", 1)[0] ?? "", "starting_after");
