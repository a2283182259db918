/** Outbound calls of detectors: an HTTP detector of the customer, or a model of a registry. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { createSizeCap } from "../lib/streams/capped-body.ts";
import { withTimeout } from "../lib/time/with-timeout.ts";
import { readReplyBytes } from "../net/read-reply-bytes.ts";
import type { Send } from "../net/send.ts";
import type { DetectorServices } from "../policy/detector.ts";
import { buildUrl } from "../providers/provider.ts";
import { sendToRegistry } from "../send-to-registry.ts";

/** Far more than a list of matches or a short completion needs. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const tooLarge = () => new AppError("upstream_failed", "The response exceeds 1 MiB.");

export function createDetectorCalls(
  deps: Pick<Deps, "send" | "credentials" | "snapshot">,
): Pick<DetectorServices, "post" | "ask"> {
  const postBy = async (
    send: Send,
    { url, headers, body, timeout_ms, allow_private }: Parameters<DetectorServices["post"]>[0],
  ): Promise<unknown> => {
    const late = () =>
      new AppError("upstream_timeout", `The detector did not respond within ${timeout_ms} ms.`);
    const abort = new AbortController();
    const fetchText = async () => {
      const response = await send({
        url,
        method: "POST",
        headers: { ...headers, "content-type": "application/json", accept: "application/json" },
        body: Buffer.from(JSON.stringify(body)),
        allow_private,
        signal: abort.signal,
        timeouts: { headers_ms: timeout_ms, idle_ms: timeout_ms },
      });
      const bytes = await readReplyBytes(response, createSizeCap(MAX_RESPONSE_BYTES, tooLarge));
      const { status } = response;
      if (status < 200 || status > 299) {
        throw new AppError("upstream_failed", `The detector responded with status ${status}.`);
      }
      return Buffer.from(bytes).toString("utf8");
    };
    try {
      return JSON.parse(await withTimeout(fetchText(), timeout_ms, late));
    } finally {
      abort.abort();
    }
  };
  return {
    post: (call) => postBy(deps.send, call),
    async ask({ registry_id, model, system, user, timeout_ms }) {
      const registry = deps.snapshot().registries.get(registry_id);
      if (!registry?.enabled || registry.problem || !registry.capabilities.has("chat")) {
        throw new AppError(
          "upstream_unreachable",
          "The registry of this detector is disabled, invalid, or does not support chat.",
        );
      }
      const { provider, upstream, allow_private } = registry;
      const target = { tail: "/chat/completions", model, search: "" };
      const send: Send = (request) => sendToRegistry(deps, registry, request);
      const completion = await postBy(send, {
        url: buildUrl(provider, upstream, target, "chat"),
        headers: provider.headers(upstream),
        body: {
          model,
          temperature: 0,
          messages: [
            { role: "system", content: system },
            { role: "user", content: user },
          ],
        },
        timeout_ms,
        allow_private,
      });
      // The OpenAI format; any other response counts as one without text.
      const { choices } = completion as { choices?: { message?: { content?: unknown } }[] };
      const text = choices?.[0]?.message?.content;
      if (typeof text === "string") return text;
      throw new AppError("upstream_failed", "The model returned no text.");
    },
  };
}
