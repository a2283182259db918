/** Where a principal connects an account or fills in values. The link opens nothing by itself: it asks who you are. */
import type { StoreInstallRow } from "../../db/store-installs.ts";
import type { MissingInput } from "../upstream/resolve-target.ts";

export const buildConnectUrl = (origin: string, { id }: Pick<StoreInstallRow, "id">): string =>
  `${origin}/me/connect/${id}`;

export function buildConnectMessage(name: string, missing: MissingInput, url: string): string {
  const todo = missing === "auth" ? "connect their account" : "fill in what it needs";
  return `${name} cannot be used yet: ask the user to open ${url} in a browser and ${todo} there, then try again.`;
}
