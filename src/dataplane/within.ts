/** Gives up waiting after a while: the error says who was late. */
import { AppError, type ErrorCode } from "../contract/errors.ts";

export function within<T>(work: Promise<T>, ms: number, late: ErrorCode): Promise<T> {
  if (Bun.peek.status(work) !== "pending") return work;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new AppError(late)), ms);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (thrown) => {
        clearTimeout(timer);
        reject(thrown);
      },
    );
  });
}
