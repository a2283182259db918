/** Gives up waiting after a while, with an error of the caller's making. */
export function deadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(late()), ms);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
