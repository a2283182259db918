/** Reads the events of a stream while it is relayed. */
import { createEventSplitter, readData } from "../../lib/http/split-events.ts";
import type { Bytes } from "../../net/http/reply.ts";
import type { StreamedBody } from "../upstream/upstream-reply.ts";

/** An event may contain an image, or repeat the instructions and tools of the request. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** Reads the data of an event. Returns a promise only if it lets other requests run before it ends. */
export type ReadEventData = (data: string) => Promise<void> | undefined;

/**
 * Calls `read` with the data of each event, before the client receives the end of that event. Calls it with an empty
 * string, and stops, at an event that is too long.
 */
export async function watchEvents(body: StreamedBody, read: ReadEventData): Promise<StreamedBody> {
  const splitter = createEventSplitter();
  let isWatched = true;
  const inspect = async (chunk: Bytes | undefined): Promise<Bytes | undefined> => {
    if (!isWatched || !chunk) return chunk;
    for (const data of splitter.push(chunk).map(readData)) if (data !== "") await read(data);
    isWatched = splitter.restSize() <= MAX_EVENT_CHARACTERS;
    if (!isWatched) await read("");
    return chunk;
  };
  return {
    ...body,
    first: await inspect(body.first),
    read: async () => inspect(await body.read()),
  };
}
