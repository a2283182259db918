/** Requests and responses between two processes, in both directions, over a channel for JSON messages. */

/** Body and result of each kind of request. */
type Protocol<Kinds> = { [Kind in keyof Kinds]: { body: unknown; result: unknown } };

type Body<Kinds extends Protocol<Kinds>, Kind extends keyof Kinds> = Kinds[Kind]["body"];
type Result<Kinds extends Protocol<Kinds>, Kind extends keyof Kinds> = Kinds[Kind]["result"];

export type Handlers<Kinds extends Protocol<Kinds>> = {
  [Kind in keyof Kinds]: (
    body: Body<Kinds, Kind>,
  ) => Result<Kinds, Kind> | Promise<Result<Kinds, Kind>>;
};

export interface MessageChannel<Sent extends Protocol<Sent>> {
  /** Rejects when the other process fails to handle it, or has closed the channel. */
  request<Kind extends keyof Sent & string>(
    kind: Kind,
    body: Body<Sent, Kind>,
  ): Promise<Result<Sent, Kind>>;
  /** Handles a message of the other process. Rejects when the response cannot be sent. */
  receive(message: Message): Promise<void>;
  /** Rejects all pending requests. */
  close(): void;
}

/** A request has a kind, a response has the id of its request. */
export interface Message {
  id: number;
  kind?: string;
  body?: unknown;
  error?: string;
}

export function createMessageChannel<
  Sent extends Protocol<Sent>,
  Received extends Protocol<Received>,
>(
  send: (message: Message) => void,
  handlers: () => Partial<Handlers<Received>>,
): MessageChannel<Sent> {
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;

  const handle = async ({ kind, body }: Message): Promise<Partial<Message>> => {
    // Both processes run the same release, so a kind has the body of its type.
    const run = handlers()[kind as keyof Received] as ((body: unknown) => unknown) | undefined;
    try {
      return { body: await run?.(body) };
    } catch (thrown) {
      return { error: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  };

  return {
    request(kind, body) {
      const id = ++lastId;
      const response = Promise.withResolvers<unknown>();
      pending.set(id, response);
      try {
        send({ id, kind, body });
      } catch (thrown) {
        pending.delete(id);
        response.reject(thrown);
      }
      return response.promise;
    },
    async receive(message) {
      if (message.kind !== undefined) return send({ id: message.id, ...(await handle(message)) });
      const response = pending.get(message.id);
      pending.delete(message.id);
      if (message.error === undefined) response?.resolve(message.body);
      else response?.reject(new Error(message.error));
    },
    close() {
      for (const { reject } of pending.values()) reject(new Error("The other process has exited."));
      pending.clear();
    },
  };
}
