/** Wire shapes of exceptions: passages that a policy allows, although a detector reports them. */
import { z } from "zod";
import { resource } from "../resource.ts";
import { Id, storedMembers, Text, Time } from "../shapes.ts";

export const ExceptionInput = z.strictObject({
  passage_sha256: z
    .string()
    .regex(/^[\da-f]{64}$/, "must be 64 lower-case hex digits")
    .describe("`evidence.passage_sha256` of a finding, or of one of its `places`."),
  detector_id: Id.nullable().default(null).describe("null: every detector."),
  reason: Text.trim().min(1).max(1000),
  expires_at: Time.nullable().default(null).describe("null: never expires."),
});
export type ExceptionInput = z.infer<typeof ExceptionInput>;

export const Exception = z.object({
  ...ExceptionInput.shape,
  ...storedMembers,
  policy_id: Id,
  created_by: z.string(),
});
export type Exception = z.infer<typeof Exception>;

/** A new exception replaces that of the same passage and detector. */
export const exceptions = resource({
  noun: "exception",
  plural: "exceptions",
  path: "/v1/policies/:policy_id/exceptions",
  id: "exception_id",
  input: ExceptionInput,
  reply: Exception,
});
