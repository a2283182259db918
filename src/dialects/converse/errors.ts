/** Reads errors of the Converse API: responses, and exceptions inside of a stream. */
import { asObject, asText } from "../invalid-response.ts";
import type { NeutralError } from "../neutral.ts";

export function readConverseError(status: number, body: unknown): NeutralError {
  const { message, Message, __type } = asObject(body);
  const code = asText(__type).split("#").at(-1);
  return {
    status,
    message:
      asText(message) ||
      asText(Message) ||
      asText(body) ||
      `The upstream responded with status ${status}.`,
    ...(code && { code }),
  };
}

/** Statuses of exceptions, which arrive after the stream has started with 200. */
const STATUSES: Record<string, number> = {
  validationException: 400,
  throttlingException: 429,
  modelStreamErrorException: 424,
  serviceUnavailableException: 503,
  modelTimeoutException: 408,
  internalServerException: 500,
};

/** Returns undefined if the event is not an exception. */
export function readException(name: string, payload: unknown): NeutralError | undefined {
  if (!/exception$/i.test(name) && name !== "error") return undefined;
  const message = asText(asObject(payload).message);
  return {
    status: STATUSES[name] ?? 500,
    message: message || "The upstream failed while it generated the response.",
    code: name,
  };
}
