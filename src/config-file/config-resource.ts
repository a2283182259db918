/** Type of a resource that a configuration file can list: how it is read, compared, saved and removed. */
import type { z } from "zod";
import { perform } from "../admin/perform.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Deps } from "../deps.ts";
import { diffMembers, type MemberChange } from "../lib/json/diff-values.ts";
import type { YamlPath } from "../lib/text/read-yaml.ts";
import type { Actor } from "../route.ts";
import type { ConfigFile } from "./schema.ts";

/** Path parameters of an item in the admin API, those of its parents included. */
export type Params = Readonly<Record<string, string>>;

export interface StoredItem<Item> {
  item: Item;
  /** Value of the path parameter `ConfigResource.id`. */
  id: string;
  /** The same of its parent; undefined at the top level. */
  parent_id?: string;
  /** Revoked keys and tokens are neither listed nor created again. */
  isRevoked?: boolean;
  /** Reason why `--prune` keeps the item although the file does not list it. */
  keepReason?: string | undefined;
}

/** Services of one step. `deps.db` is the transaction of the whole file. */
export interface StepContext {
  deps: Deps;
  actor: Actor;
  /** The file that is applied. */
  config: ConfigFile;
}

export interface DiffContext {
  /** Location of the item in the file. */
  path: YamlPath;
  /** Secrets whose variable is not set: the stored ones are kept. */
  keptSecrets: readonly { name: string; path: YamlPath }[];
  report: (problem: { path: YamlPath; message: string }) => void;
}

/** `Item` has the members of the file, without the lists of its children. */
export interface ConfigResource<Item extends object = object> {
  noun: string;
  /** Member of the parent, or of the file, that lists the items. */
  list: string;
  /** Name of the path parameter that identifies an item in the admin API. */
  id: string;
  schema: z.ZodType;
  /** Schema of one item where `schema` leaves members open, such as the options of a provider. */
  schemaOf?(item: Item): z.ZodType;
  /** Paths of the secrets in an item. */
  secretsOf?(item: Item): readonly string[];
  children?: readonly ConfigResource[];
  /** Keys and tokens are revoked and stay stored; other items are deleted. */
  isRevocable?: boolean;
  /** Unlisted items are deleted before others are saved, because they occupy a unique slug. */
  isDeletedFirst?: boolean;
  /** Returns the stored items of all parents, secrets in clear. */
  current(deps: Deps): Promise<StoredItem<Item>[]>;
  identity(item: Item): string;
  /** Name in plans and messages; the identity unless given. */
  label?(item: Item): string;
  /** Returns the members that the file changes, secrets masked. */
  diff(before: Item | undefined, after: Item, context: DiffContext): MemberChange[];
  /** Returns why the file cannot change a member of the stored item. The other members change. */
  unchangedReason?(before: Item, after: Item): string | undefined;
  /** Creates the item, or updates the one with `id`. Returns the id. */
  save(context: StepContext, parent: Params, item: Item, id: string | undefined): Promise<string>;
  remove(context: StepContext, params: Params, item: Item): Promise<void>;
  /** Members that refer to resources saved later; set in a second step. */
  late?: {
    diff(before: Item | undefined, after: Item): MemberChange[];
    save(context: StepContext, params: Params, item: Item): Promise<void>;
  };
}

/** Compares an item with the stored one. Members that the file leaves out do not change. */
export const diffItems = (before: object | undefined, after: object): MemberChange[] =>
  diffMembers(before ?? {}, { ...before, ...after });

/** Deletes or revokes an item through the admin API. */
export const removeItem = (
  { deps, actor }: StepContext,
  endpoint: Endpoint,
  params: Params,
): Promise<void> => perform(deps, actor, endpoint, { params });
