/** Fetches the list of models of a registry, page by page, capped in size and time. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { readReplyText } from "../../net/read-reply-bytes.ts";
import { type ListedModel, readModelPage } from "../../providers/read-model-page.ts";
import { sendToRegistry } from "../../send-to-registry.ts";
import type { RegistryView } from "../../snapshot/snapshot.ts";

const TIMEOUT_MS = 15_000;
const MAX_PAGES = 20;
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
const MAX_MODELS = 2000;

export async function fetchModelList(
  deps: Pick<Deps, "send" | "credentials">,
  registry: RegistryView,
): Promise<ListedModel[]> {
  const { provider, upstream, allow_private } = registry;
  const { urls, headers } = provider.modelList?.(upstream) ?? {
    urls: [`${provider.address(upstream)}/models`],
    headers: provider.headers(upstream),
  };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const timeouts = { headers_ms: TIMEOUT_MS, idle_ms: TIMEOUT_MS };
  const found: ListedModel[] = [];
  let count = 0;
  for (const url of urls) {
    for (let page: string | undefined = url; page && count < MAX_PAGES; count++) {
      const reply = await sendToRegistry(deps, registry, {
        url: page,
        method: "GET",
        headers: { ...headers },
        allow_private,
        signal,
        timeouts,
      });
      if (reply.status !== 200) {
        reply.cancel();
        throw new AppError("upstream_failed", `The upstream returned status ${reply.status}.`);
      }
      const { models, next } = readModelPage(parse(await readReplyText(reply, MAX_PAGE_BYTES)));
      found.push(...models);
      const hasRoom = found.length < MAX_MODELS;
      page = next && hasRoom ? `${url}${url.includes("?") ? "&" : "?"}${next}` : undefined;
    }
  }
  return found.slice(0, MAX_MODELS);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("upstream_failed", "The upstream's list of models is not JSON.");
  }
}
