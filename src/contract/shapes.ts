/** Schemas that many wire objects share. */
import { z } from "zod";
import { AppError } from "./errors.ts";

/** Rejects unpaired surrogates: the database replaces them, so that two subjects would become one. */
export const WellFormedText = z
  .string()
  .refine((text) => text.isWellFormed(), "must not contain unpaired surrogates");

/** Postgres cannot store NUL, and no name needs control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is rejected
const PRINTABLE = /^[^\u0000-\u001f\u007f]*$/;

const Printable = WellFormedText.regex(PRINTABLE, "must not contain control characters");

export const Text = Printable.max(2000);
/** Key, token or header value issued by another system. */
export const SecretText = Printable.max(8192);

export const Name = Text.trim()
  .min(1)
  .max(255)
  .describe("Display name, unique among its siblings.");

export const Slug = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, "must be lower-case letters, digits and inner dashes");

export const Id = z.uuid();
export const Time = z.iso.datetime({ offset: true }).describe("RFC 3339.");
export const Labels = z
  .record(Text.min(1).max(64), Text.max(512))
  .refine((labels) => Object.keys(labels).length <= 64, "must have at most 64 members");

/** Members that the server adds to every stored resource. */
export const storedMembers = {
  id: Id,
  created_at: Time,
  updated_at: Time,
  version: z.int().describe("Number of the last change; also the ETag."),
};

export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("Items per page."),
  cursor: z.string().max(2000).optional().describe("`next_cursor` of the previous page."),
  q: Text.max(200).optional().describe("Text to find in names."),
  sort: z
    .string()
    .max(64)
    .optional()
    .describe("Member to sort by; a leading `-` reverses the order."),
});
export type PageQuery = z.infer<typeof PageQuery>;

export const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable() });

/** Returns the error for a cursor that does not belong to the requested list. */
export const invalidCursor = (): AppError =>
  new AppError("validation_failed", "cursor: is not a cursor of this list; start without one.");
