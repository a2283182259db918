/** Compares authorization servers by what receives secrets. */

/** Endpoints that receive a browser, client data, secrets or tokens. */
export const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
] as const;

/** Returns whether both are the same issuer with the same endpoints. */
export function isSameServer(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): boolean {
  return ["issuer", ...ENDPOINTS].every((name) => one[name] === other[name]);
}
