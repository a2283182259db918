/** Decides which fields of forms and query strings are rejected: their values are not checked, but an upstream may use them. */
import type { ConsumerView } from "../../snapshot/snapshot.ts";
import { selectsModel } from "../models/find-additional-models.ts";
import { limitsModels } from "../models/is-model-allowed.ts";
import { refersToObject } from "../objects/find-referenced-objects.ts";

/** `name` is folded. Fields may select a model, name a stored object, or contain JSON that does. */
export function isForbiddenField(consumer: ConsumerView, name: string): boolean {
  const isLimited = limitsModels(consumer);
  const isOwn = consumer.files_scope === "own";
  if ((isLimited || isOwn) && CONTAINERS.test(name)) return true;
  return (isLimited && selectsModel(name)) || (isOwn && refersToObject(name));
}

const CONTAINERS =
  /^(?:extra_body|tools|plugins|provideroptions|user_config|litellm_params|router_settings_override)$/;
