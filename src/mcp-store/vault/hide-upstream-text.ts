/** Replaces errors that may quote an authorization server, so that its text reaches neither the log nor a page. */
import { AppError } from "../../contract/errors.ts";

export async function hideUpstreamText<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError(
      "upstream_failed",
      "The sign-in could not be prepared: the authorization server responded with an error.",
    );
  }
}
