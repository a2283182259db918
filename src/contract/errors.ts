/** Error codes with their status and default message. A test compares docs/errors.md with this table. */
export const ERRORS = {
  invalid_request: { status: 400, message: "The request is not valid." },
  invalid_model: { status: 400, message: "The model reference is not valid." },
  unauthorized: { status: 401, message: "A valid key is required." },
  forbidden: { status: 403, message: "This key does not have the required permission." },
  model_not_allowed: { status: 403, message: "This consumer may not use that model." },
  guard_blocked: { status: 403, message: "The policy blocks this request." },
  not_found: { status: 404, message: "Not found. Check the path." },
  method_not_allowed: { status: 405, message: "This path does not support the method." },
  invalid_json: { status: 400, message: "The body is not valid JSON." },
  request_timeout: { status: 408, message: "The request body took too long to arrive." },
  already_exists: { status: 409, message: "The name is already taken. Choose another one." },
  has_dependents: {
    status: 409,
    message: "Other resources still refer to this one. Remove the references first.",
  },
  conflict: { status: 409, message: "The request conflicts with the current state." },
  version_mismatch: {
    status: 412,
    message: "The resource has changed since you read it. Read it again.",
  },
  too_large: { status: 413, message: "The request body is too large." },
  validation_failed: { status: 422, message: "The request has invalid members." },
  upgrade_required: {
    status: 426,
    message: "WebSocket is not supported here. Send HTTP requests instead.",
  },
  rate_limited: { status: 429, message: "Too many requests." },
  overloaded: { status: 429, message: "Too many requests are in progress. Try again later." },
  client_closed: {
    status: 499,
    message: "The client closed the connection before the response was complete.",
  },
  bad_settings: { status: 500, message: "A setting is not valid." },
  activity_failed: {
    status: 500,
    message:
      "The evaluation could not be recorded, for example because the disk is full, and this collector is fail-closed.",
  },
  detector_failed: {
    status: 500,
    message: "A detector failed, and this collector is fail-closed.",
  },
  internal: { status: 500, message: "Internal error. The log has the details." },
  provider_credential_error: {
    status: 502,
    message: "The credential of the registry could not be obtained.",
  },
  upstream_address_refused: {
    status: 502,
    message: "The upstream address is private. Only registries with allow_private may use it.",
  },
  upstream_unreachable: { status: 502, message: "The connection to the upstream failed." },
  upstream_failed: {
    status: 502,
    message: "The upstream closed the connection or sent an invalid response.",
  },
  no_backend_available: { status: 503, message: "No backend available." },
  unavailable: { status: 503, message: "The database is unavailable. Try again later." },
  rate_limit_unavailable: {
    status: 503,
    message: "The rate-limit store is unavailable. Try again later.",
  },
  guard_unavailable: {
    status: 503,
    message: "The guard could not evaluate the traffic, and its collector is fail-closed.",
  },
  shutting_down: { status: 503, message: "This node is shutting down." },
  upstream_timeout: { status: 504, message: "The upstream did not respond in time." },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly status: number;
  /** Additional members of the response body, such as retry_after. Never secrets or text of the upstream. */
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

  /** Returns an AppError unchanged. Wraps anything else as `internal`: its message is logged, not sent. */
  static from(thrown: unknown): AppError {
    return thrown instanceof AppError
      ? thrown
      : new AppError("internal", undefined, { cause: thrown });
  }
}
