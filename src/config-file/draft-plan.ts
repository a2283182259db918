/** A plan in the making: lists of what is there and what is wanted become steps in an order that works. */
import type { Deps } from "../deps.ts";
import type { MemberChange } from "../lib/json/diff-values.ts";
import type { YamlPath } from "../lib/text/read-yaml.ts";
import type { Actor } from "../route.ts";

export type Resource =
  | "gateway"
  | "registry"
  | "consumer"
  | "consumer_key"
  | "catalog_entry"
  | "access_rule"
  | "issuer"
  | "detector"
  | "policy"
  | "collector"
  | "override"
  | "collector_key"
  | "service_client"
  | "token";

/** One change of the configuration, inside the transaction that `deps.db` is. */
export type Run = (deps: Deps, actor: Actor) => Promise<unknown>;

export interface Step {
  action: "create" | "update" | "delete" | "revoke";
  resource: Resource;
  /** Names from the outside in: `demo / OpenAI`. */
  name: string;
  /** Secrets masked. */
  members: MemberChange[];
  /** Where the file asks for it; undefined: it is not in the file. */
  at: YamlPath | undefined;
  run: Run;
}

export interface Plan {
  steps: Step[];
  /** What is not as the file says and stays so, with the reason. */
  left_alone: { resource: Resource; name: string; reason: string }[];
}

export interface Listed<Item extends object> {
  resource: Resource;
  was: readonly Item[];
  /** undefined: the file does not speak of this list. */
  will: readonly Item[] | undefined;
  identity: keyof Item & string;
  at: YamlPath;
  name: (item: Item) => string;
  diff: (was: Item | undefined, will: Item, at: YamlPath) => MemberChange[];
  save: (will: Item) => Run;
  remove: (was: Item) => Run;
  /** Why an item of the file must not be made; undefined: it may. */
  refused?: (will: Item) => string | undefined;
  /** Why an item that is not in the file stays even when others are pruned; undefined: it goes. */
  needed?: (was: Item) => string | undefined;
}

export interface Draft {
  /** `inside` is called for each item that stays or comes, after its own step. */
  list<Item extends object>(
    listed: Listed<Item>,
    inside?: (was: Item | undefined, will: Item, at: YamlPath) => void,
  ): void;
  plan: () => Plan;
}

/** These stay listed as revoked. */
const REVOKED: readonly Resource[] = ["consumer_key", "collector_key", "service_client", "token"];
/** These free a slug for another one, so they go first. What others refer to goes when they no longer do. */
const FREEING: readonly Resource[] = ["gateway", "consumer", "collector"];

export function draftPlan({ prune }: { prune: boolean }): Draft {
  const freeing: Step[] = [];
  const saving: Step[] = [];
  const dropping: Step[] = [];
  const left_alone: Plan["left_alone"] = [];

  return {
    list(listed, inside) {
      if (!listed.will) return;
      const { resource, identity } = listed;
      const known = new Map(listed.was.map((item) => [item[identity], item]));
      const wanted = new Set(listed.will.map((item) => item[identity]));
      for (const was of listed.was.filter((item) => !wanted.has(item[identity]))) {
        const name = listed.name(was);
        const reason = prune ? listed.needed?.(was) : "not in the file";
        if (reason) {
          left_alone.push({ resource, name, reason });
          continue;
        }
        const action = REVOKED.includes(resource) ? "revoke" : "delete";
        const list = FREEING.includes(resource) ? freeing : dropping;
        list.push({ action, resource, name, members: [], at: undefined, run: listed.remove(was) });
      }
      for (const [index, will] of listed.will.entries()) {
        const was = known.get(will[identity]);
        const at = [...listed.at, index];
        const name = listed.name(will);
        const reason = was ? undefined : listed.refused?.(will);
        if (reason) {
          left_alone.push({ resource, name, reason });
          continue;
        }
        const members = listed.diff(was, will, at);
        const action = was ? "update" : "create";
        if (!was || members.length) {
          saving.push({ action, resource, name, members, at, run: listed.save(will) });
        }
        inside?.(was, will, at);
      }
    },
    // Lists come in the order in which one may refer to another, so what goes does so in reverse.
    plan: () => ({
      steps: [...freeing.toReversed(), ...saving, ...dropping.toReversed()],
      left_alone,
    }),
  };
}
