/** Builds the link at which a principal connects an account or enters values. The page requires a sign-in. */
import type { StoreInstallRow } from "../../db/tables/store-installs.ts";
import type { MissingInput } from "../upstream/resolve-target.ts";

export const buildConnectUrl = (origin: string, { id }: Pick<StoreInstallRow, "id">): string =>
  `${origin}/me/connect/${id}`;

export function buildConnectMessage(name: string, missing: MissingInput, url: string): string {
  const step = missing === "auth" ? "connect their account" : "enter the required values";
  return `${name} cannot be used yet: ask the user to open ${url} in a browser and ${step} there, then try again.`;
}
