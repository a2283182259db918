import { expect, test } from "bun:test";
import { AppError } from "../contract/errors.ts";
import { toUpstreamError } from "./to-upstream-error.ts";

const thrown = (code: string) => Object.assign(new TypeError("secret upstream text"), { code });

test.each(["ECONNRESET", "EHOSTUNREACH", "EPROTO"])(
  "%s becomes upstream_failed, with the original as its cause only",
  (code) => {
    const original = thrown(code);

    const error = toUpstreamError(original);

    expect(error.code).toBe("upstream_failed");
    expect(error.cause).toBe(original);
    expect(error.message).not.toContain("secret");
  },
);

test("timeouts of the runtime and other errors are converted", () => {
  const timeout = new DOMException("The operation timed out.", "TimeoutError");

  expect(toUpstreamError(timeout)).toMatchObject({ code: "upstream_timeout", status: 504 });
  expect(toUpstreamError(undefined).code).toBe("upstream_failed");
  expect(toUpstreamError("text").code).toBe("upstream_failed");
});

test("a cancelled request is not held against the upstream", () => {
  expect(toUpstreamError(AbortSignal.abort().reason).code).toBe("invalid_request");
});

test("what we threw passes as it is", () => {
  const error = new AppError("too_large");

  expect(toUpstreamError(error)).toBe(error);
});
