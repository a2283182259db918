/** Reads the user of a data-plane request from its headers (spec 8.2). */

/** Header names are case-insensitive, so `X-User-ID` and `X-User-Id` are one. */
const USER_HEADERS = ["x-user-id", "x-userid", "user-id"] as const;

/** User of requests without a user header. */
export const ANONYMOUS = "anonymous";

export const readUser = (headers: Headers): string => findUser(headers) ?? ANONYMOUS;

export function findUser(headers: Headers): string | undefined {
  for (const name of USER_HEADERS) {
    const user = headers.get(name);
    if (user) return user;
  }
  return undefined;
}
