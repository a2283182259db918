/** Describes the five endpoints of a stored resource: list, get, create, update, delete. */
import { z } from "zod";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { PageQuery, page } from "./shapes.ts";

export interface ResourceEndpoints<
  Path extends string,
  Id extends string,
  Input extends z.ZodObject,
  Reply extends z.ZodObject,
> {
  /** Singular, as in `registry`. */
  noun: string;
  /** Members that a caller can set. An update takes any subset; other members keep their value. */
  input: Input;
  list: Endpoint<Path, typeof PageQuery, z.ZodUndefined, ReturnType<typeof page<Reply>>>;
  create: Endpoint<Path, z.ZodObject, Input, Reply>;
  get: Endpoint<`${Path}/:${Id}`, z.ZodObject, z.ZodUndefined, Reply>;
  update: Endpoint<`${Path}/:${Id}`, z.ZodObject, z.ZodObject, Reply>;
  remove: Endpoint<`${Path}/:${Id}`, z.ZodObject, z.ZodUndefined, z.ZodUndefined>;
}

export function resource<
  const Path extends string,
  const Id extends string,
  Input extends z.ZodObject,
  Reply extends z.ZodObject,
>(described: {
  noun: string;
  plural: string;
  path: Path;
  id: Id;
  input: Input;
  reply: Reply;
}): ResourceEndpoints<Path, Id, Input, Reply> {
  const { noun, plural, path, input, reply } = described;
  const one = `${path}/:${described.id}` as const;
  const words = noun.replaceAll("_", " ");
  const item = `${/^[aeiou]/.test(words) ? "an" : "a"} ${words}`;
  return {
    noun,
    input,
    list: endpoint({
      name: `list_${plural}`,
      method: "GET",
      path,
      auth: "read",
      summary: `List ${plural.replaceAll("_", " ")}`,
      query: PageQuery,
      reply: page(reply),
    }),
    create: endpoint({
      name: `create_${noun}`,
      method: "POST",
      path,
      auth: "write",
      summary: `Create ${item}`,
      body: input,
      reply,
      status: 201,
    }),
    get: endpoint({
      name: `get_${noun}`,
      method: "GET",
      path: one,
      auth: "read",
      summary: `Get ${item}`,
      reply,
    }),
    update: endpoint({
      name: `update_${noun}`,
      method: "PUT",
      path: one,
      auth: "write",
      summary: `Update ${item}; members left out keep their value`,
      body: toPatchSchema(input),
      reply,
    }),
    remove: endpoint({
      name: `delete_${noun}`,
      method: "DELETE",
      path: one,
      auth: "write",
      summary: `Delete ${item}`,
    }),
  };
}

/**
 * Returns a schema with the same members, all optional and without defaults: an update must not reset
 * the members that it leaves out.
 */
export function toPatchSchema(input: z.ZodObject): z.ZodObject {
  const shape = Object.entries(input.shape).map(([name, member]) => {
    const filled = member instanceof z.ZodDefault || member instanceof z.ZodPrefault;
    const bare = z.optional(filled ? member.unwrap() : member);
    return [name, member.description ? bare.describe(member.description) : bare];
  });
  return z.strictObject(Object.fromEntries(shape));
}
