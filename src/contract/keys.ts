/** Describes the endpoints of the keys of a resource: list, create, get, rotate, revoke. */
import { z } from "zod";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { Id, Name, PageQuery, page, Time } from "./shapes.ts";

export const KEY_STATES = ["active", "expired", "revoked"] as const;

const KEY = {
  id: Id,
  name: Name,
  hint: z.string().describe("First characters of the secret, for recognition."),
  state: z.enum(KEY_STATES),
  expires_at: Time.nullable(),
  revoked_at: Time.nullable(),
  last_used_at: Time.nullable(),
  created_at: Time,
};

export const KeyInput = z.strictObject({
  name: Name,
  expires_at: Time.nullable().default(null).describe("null: never expires."),
});

const RotationInput = z.strictObject({ overlap_s: z.int().min(0).max(2_592_000).default(86_400) });

export interface KeyEndpoints {
  noun: string;
  owner: string;
  secret: string;
  list: Endpoint<string, typeof PageQuery>;
  create: Endpoint<string, z.ZodType, typeof KeyInput>;
  get: Endpoint;
  rotate: Endpoint<string, z.ZodType, typeof RotationInput>;
  revoke: Endpoint;
}

/** `owner` is the member with the id of the owner, `secret` the member that shows the key once. */
export function keyEndpoints<
  const Path extends string,
  Owner extends string,
  Secret extends string,
>(spec: {
  /** Singular, as in `consumer_key`. */
  noun: string;
  plural: string;
  path: Path;
  owner: Owner;
  secret: Secret;
}) {
  const { noun, plural, path } = spec;
  const one = `${path}/:key_id` as const;
  const words = noun.replaceAll("_", " ");
  // TypeScript widens a computed member to a record of strings.
  const owner = { [spec.owner]: Id } as Record<Owner, typeof Id>;
  const shown = z.object({ ...KEY, ...owner });
  const secret = {
    [spec.secret]: z.string().describe("The secret. Shown once, in this response only."),
  } as Record<Secret, z.ZodString>;
  const created = z.object({ ...KEY, ...owner, ...secret });
  return {
    noun,
    owner: spec.owner,
    secret: spec.secret,
    shown,
    created,
    list: endpoint({
      name: `list_${plural}`,
      method: "GET",
      path,
      auth: "read",
      summary: `List ${plural.replaceAll("_", " ")}`,
      query: PageQuery,
      reply: page(shown),
    }),
    create: endpoint({
      name: `create_${noun}`,
      method: "POST",
      path,
      auth: "write",
      summary: `Create a ${words}; only this response contains its secret`,
      body: KeyInput,
      reply: created,
      status: 201,
    }),
    get: endpoint({
      name: `get_${noun}`,
      method: "GET",
      path: one,
      auth: "read",
      summary: `Get a ${words}`,
      reply: shown,
    }),
    rotate: endpoint({
      name: `rotate_${noun}`,
      method: "POST",
      path: `${one}/rotate`,
      auth: "write",
      summary: `Replace a ${words}; the old one stays valid for \`overlap_s\` seconds`,
      body: RotationInput,
      reply: created,
      status: 201,
    }),
    revoke: endpoint({
      name: `revoke_${noun}`,
      method: "DELETE",
      path: one,
      auth: "write",
      summary: `Revoke a ${words} immediately; it stays listed as revoked`,
    }),
  };
}
