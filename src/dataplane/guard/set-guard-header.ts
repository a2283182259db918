/** Sets the header X-AG-Guard: the most restrictive verdict on the request and its response so far. */
import { STATUSES, type Status } from "../../contract/guard/actions.ts";
import type { RequestContext } from "../stages.ts";

export function setGuardHeader({ headers }: RequestContext, status: Status): void {
  const earlier = headers["x-ag-guard"];
  headers["x-ag-guard"] = STATUSES.find((each) => each === earlier || each === status) ?? status;
}
