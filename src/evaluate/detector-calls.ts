/** What detectors ask of others: a user's own detector, a model of a registry. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { createSizeCap } from "../lib/streams/capped-body.ts";
import { withTimeout } from "../lib/time/with-timeout.ts";
import { readBytes } from "../net/read-body.ts";
import type { DetectorServices } from "../policy/detector.ts";
import { buildUrl } from "../providers/provider.ts";

/** An answer of a detector is a list of places; of a judge, a word and a number. */
const MAX_BYTES = 1024 * 1024;
const tooLarge = () => new AppError("upstream_failed", "The response exceeds 1 MiB.");

export function createDetectorCalls(
  deps: Pick<Deps, "send" | "snapshot">,
): Pick<DetectorServices, "post" | "ask"> {
  const post: DetectorServices["post"] = async ({
    url,
    headers,
    body,
    timeout_ms,
    allow_private,
  }) => {
    const late = () => new AppError("upstream_timeout", "The detector took too long to answer.");
    const stop = new AbortController();
    const answered = async () => {
      const reply = await deps.send({
        url,
        method: "POST",
        headers: { ...headers, "content-type": "application/json", accept: "application/json" },
        body: Buffer.from(JSON.stringify(body)),
        allow_private,
        signal: stop.signal,
        timeouts: { headers_ms: timeout_ms, idle_ms: timeout_ms },
      });
      const bytes = await readBytes(reply, createSizeCap(MAX_BYTES, tooLarge));
      const ok = reply.status >= 200 && reply.status < 300;
      if (!ok) throw new AppError("upstream_failed", `It answered ${reply.status}.`);
      return Buffer.from(bytes).toString("utf8");
    };
    try {
      return JSON.parse(await withTimeout(answered(), timeout_ms, late));
    } finally {
      stop.abort();
    }
  };
  return {
    post,
    async ask({ registry_id, model, system, user, timeout_ms }) {
      const registry = deps.snapshot().registries.get(registry_id);
      if (!registry?.enabled || registry.problem || !registry.capabilities.has("chat")) {
        throw new AppError("upstream_unreachable", "The registry of this detector cannot be used.");
      }
      const { provider, upstream, allow_private } = registry;
      const asked = { tail: "/chat/completions", model, search: "" };
      const reply = await post({
        url: buildUrl(provider, upstream, asked, "chat"),
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
      // The reference shape; whatever else came is an answer without text.
      const { choices } = reply as { choices?: { message?: { content?: unknown } }[] };
      const text = choices?.[0]?.message?.content;
      if (typeof text === "string") return text;
      throw new AppError("upstream_failed", "The model answered without text.");
    },
  };
}
