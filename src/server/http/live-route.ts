/** Streams notices of changed lists to a client, as server-sent events. */
import { requireGateway } from "../../admin/resource-routes.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { AppError } from "../../contract/errors.ts";
import { listRequests } from "../../contract/gateway/requests.ts";
import { listActivity } from "../../contract/guard/activity.ts";
import { listApprovals } from "../../contract/guard/approvals.ts";
import { type LiveNotice, type LiveTopic, streamChanges } from "../../contract/live.ts";
import { listStoreRequests } from "../../contract/store/requests.ts";
import type { Deps } from "../../deps.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { DirectRoute } from "../../route.ts";
import type { TopicListener } from "../watch-topics.ts";
import { authenticate } from "./authenticate.ts";

/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;
/** Wait of the client before it connects again. */
const RETRY_MS = 3_000;

/** List of each topic: who may call it gets its notices. */
const LISTS: Record<LiveTopic, Endpoint> = {
  requests: listRequests,
  store_requests: listStoreRequests,
  evaluations: listActivity,
  approvals: listApprovals,
};

export const liveRoute: DirectRoute = {
  endpoint: streamChanges,
  async respond(deps, { request, query, headers, actor }) {
    // Decoded by the endpoint's own schema before this is called.
    const { gateway_id } = query as ReturnType<typeof streamChanges.query.parse>;
    const topics = () => findReadableTopics(deps, request, gateway_id);
    topics();
    if (gateway_id !== undefined) await requireGateway(deps, { gateway_id });
    return new Response(await openStream(deps, { caller: actor.id, gateway_id, topics }), {
      headers: { ...headers, "content-type": "text/event-stream", "x-accel-buffering": "no" },
    });
  },
};

/** Returns the topics whose lists the client may read now. Throws if there is none: the session may have ended. */
function findReadableTopics(
  deps: Deps,
  request: Request,
  gateway_id: string | undefined,
): LiveTopic[] {
  let rejection: AppError | undefined;
  const readable = (Object.keys(LISTS) as LiveTopic[]).filter((topic) => {
    const isOfGateway = LISTS[topic].path.includes(":gateway_id");
    if (isOfGateway && gateway_id === undefined) return false;
    try {
      authenticate(deps, LISTS[topic], request, isOfGateway && gateway_id ? { gateway_id } : {});
      return true;
    } catch (thrown) {
      rejection = AppError.from(thrown);
      return false;
    }
  });
  if (readable.length === 0 && rejection) throw rejection;
  return readable;
}

type Watched = Pick<TopicListener, "caller" | "gateway_id" | "topics">;

async function openStream(deps: Deps, watched: Watched): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  /** Topics to report. A slow client gets one notice for many changes, so nothing accumulates. */
  const pending = new Set<LiveTopic>();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let sentAt = elapsedMs();
  const send = (text: string) => {
    sentAt = elapsedMs();
    controller?.enqueue(encoder.encode(text));
  };
  const sendPending = () => {
    if (pending.size === 0) return;
    const notice: LiveNotice = { topics: [...pending] };
    pending.clear();
    send(toEvent("changed", notice));
  };
  const leave = await deps.topics.listen({
    ...watched,
    onPoll(changed) {
      for (const topic of changed) pending.add(topic);
      if (!controller?.desiredSize) return;
      sendPending();
      if (elapsedMs() - sentAt > HEARTBEAT_MS) send(": heartbeat\n\n");
    },
    onEnd({ code, message }) {
      send(toEvent("end", { error: code, message }));
      controller?.close();
    },
  });
  return new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
      send(`retry: ${RETRY_MS}\n\n`);
    },
    pull: sendPending,
    cancel: leave,
  });
}

const toEvent = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
