/** Body of a streamed response that is relayed unchanged; a copy is evaluated at its end. */
import type { Bytes } from "../../../net/http/reply.ts";
import type { StreamedBody } from "../../upstream-reply.ts";
import { createAssembly } from "./assemble-response.ts";
import type { StreamGuard } from "./guard-stream.ts";
import { checkEventSize, createHeldCap, type GuardedBody } from "./masked-body.ts";
import { createEventSplitter, readFields, type StreamEvent } from "./split-events.ts";

export function createObservedBody(guard: StreamGuard, body: StreamedBody): GuardedBody {
  const splitter = createEventSplitter();
  const assembly = createAssembly(guard.dialect, createHeldCap());
  let { first } = body;
  /** Chunk that was sent and is not read yet. */
  let sent: Bytes | undefined;
  let problem: unknown;
  let isOver = false;

  function add(event: StreamEvent): void {
    const { data } = readFields(event);
    if (data && data.trim() !== "[DONE]") assembly.add(data);
  }

  /** Reads the chunk that was sent before. */
  function observe(): void {
    const chunk = sent;
    sent = undefined;
    if (!chunk || problem !== undefined) return;
    try {
      for (const event of splitter.push(chunk)) add(event);
      checkEventSize(splitter);
    } catch (thrown) {
      problem = thrown;
    }
  }

  async function evaluate(): Promise<void> {
    observe();
    if (problem !== undefined) throw problem;
    const last = splitter.end();
    if (last) add(last);
    await guard.evaluate(assembly.toText(), { recorded: true });
  }

  function stop(): void {
    if (isOver) return;
    isOver = true;
    // The client has its response: a failure is only recorded.
    evaluate()
      .catch(guard.fail)
      .catch(() => {});
  }

  return {
    ...body,
    first: undefined,
    async read() {
      const next = first ?? body.read();
      first = undefined;
      observe();
      sent = await next;
      return sent;
    },
    stop,
  };
}
