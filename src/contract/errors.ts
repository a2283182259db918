/** Every way this program says no. docs/errors.md is tested against this table. */
export const ERRORS = {
  invalid_request: { status: 400, message: "The request is not valid." },
  invalid_model: { status: 400, message: "The model reference is not valid." },
  unauthorized: { status: 401, message: "A valid key is required." },
  forbidden: { status: 403, message: "This key may not do that." },
  model_not_allowed: { status: 403, message: "This consumer may not use that model." },
  not_found: { status: 404, message: "There is nothing here." },
  method_not_allowed: { status: 405, message: "This path does not take that method." },
  invalid_json: { status: 400, message: "The body is not valid JSON." },
  request_timeout: { status: 408, message: "The request body took too long to arrive." },
  already_exists: { status: 409, message: "Something with this name exists already." },
  has_dependents: { status: 409, message: "Something else still uses this." },
  conflict: { status: 409, message: "The request conflicts with the current state." },
  version_mismatch: { status: 412, message: "This was changed since you read it: read it again." },
  too_large: { status: 413, message: "The request body is too large." },
  validation_failed: { status: 422, message: "The request cannot be acted on." },
  upgrade_required: {
    status: 426,
    message: "WebSocket is not supported here. Send HTTP requests instead.",
  },
  rate_limited: { status: 429, message: "Too many requests." },
  overloaded: { status: 429, message: "Too much is in flight: try again shortly." },
  client_closed: { status: 499, message: "The client left before the answer was complete." },
  bad_settings: { status: 500, message: "A setting is not valid." },
  activity_failed: {
    status: 500,
    message: "The evaluation could not be recorded, and this collector is fail-closed.",
  },
  detector_failed: { status: 500, message: "A detector failed, so there is no verdict." },
  internal: { status: 500, message: "Something went wrong on our side." },
  upstream_address_refused: { status: 502, message: "The upstream address is not a public one." },
  upstream_unreachable: { status: 502, message: "The upstream could not be reached." },
  upstream_failed: { status: 502, message: "The upstream broke off or answered nonsense." },
  no_backend_available: { status: 503, message: "No backend available." },
  unavailable: { status: 503, message: "The database cannot be reached: try again shortly." },
  rate_limit_unavailable: {
    status: 503,
    message: "Requests cannot be counted right now: try again shortly.",
  },
  shutting_down: { status: 503, message: "This node is shutting down." },
  upstream_timeout: { status: 504, message: "The upstream took too long to answer." },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly status: number;
  /** Extra members of the wire body, such as retry_after. Never secrets, never upstream text. */
  readonly details: Record<string, string>;

  constructor(
    code: ErrorCode,
    message?: string,
    options: { cause?: unknown; details?: Record<string, string> } = {},
  ) {
    super(message ?? ERRORS[code].message, { cause: options.cause });
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = options.details ?? {};
  }

  /** What we threw passes. Anything else is our bug: its text goes to the log, not the wire. */
  static from(thrown: unknown): AppError {
    return thrown instanceof AppError
      ? thrown
      : new AppError("internal", undefined, { cause: thrown });
  }
}
