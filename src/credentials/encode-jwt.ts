/** Returns the part of a JWT that is signed. */
export const encodeJwt = (header: object, claims: object): string =>
  [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
