/** Who a data-plane request is made for, as its caller says (spec 8.2). */

/** The seed's four names are three for HTTP, which does not tell `ID` from `Id`. */
const USER_HEADERS = ["x-user-id", "x-userid", "user-id"] as const;

/** The user of requests that name none. */
export const ANONYMOUS = "anonymous";

export function readUser(headers: Headers): string {
  for (const name of USER_HEADERS) {
    const user = headers.get(name);
    if (user) return user;
  }
  return ANONYMOUS;
}
