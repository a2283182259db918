/** Replaces a wildcard listen address by loopback, so that clients can connect to it. */

export const toReachableOrigin = (origin: string): string =>
  origin.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
