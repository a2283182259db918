/** State of one request of the playground: busy, facts of the response, error, and a way to stop it. */
import { useEffect, useRef, useState } from "react";
import { AppError } from "../../contract/errors.ts";
import {
  type ReplyFacts,
  readFacts,
  readProblem,
  type SendAsConsumer,
  type SentRequest,
} from "./send-as-consumer.ts";

export interface PlaygroundExchange {
  busy: boolean;
  facts: ReplyFacts | undefined;
  problem: string | undefined;
  /** Resolves to whether the upstream or the gateway accepted the request. */
  run: (
    request: Omit<SentRequest, "signal">,
    onReply: (reply: Response) => Promise<void>,
  ) => Promise<boolean>;
  stop: () => void;
}

export function useExchange(send: SendAsConsumer): PlaygroundExchange {
  const [state, setState] = useState<Pick<PlaygroundExchange, "busy" | "facts" | "problem">>({
    busy: false,
    facts: undefined,
    problem: undefined,
  });
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);

  const exchange = async (
    request: Omit<SentRequest, "signal">,
    onReply: (reply: Response) => Promise<void>,
  ): Promise<boolean> => {
    const controller = new AbortController();
    current.current = controller;
    setState({ busy: true, facts: undefined, problem: undefined });
    const startedAt = performance.now();
    let accepted = false;
    try {
      const reply = await send({ ...request, signal: controller.signal });
      const facts = readFacts(reply, startedAt);
      accepted = reply.ok;
      setState({ busy: true, facts, problem: undefined });
      const problem = reply.ok ? undefined : await readProblem(reply);
      if (reply.ok) await onReply(reply);
      setState({ busy: false, facts, problem });
    } catch (thrown) {
      const problem = controller.signal.aborted ? "Stopped." : AppError.from(thrown).message;
      setState((last) => ({ ...last, busy: false, problem }));
    }
    return accepted;
  };
  return {
    ...state,
    run: exchange,
    stop: () => current.current?.abort(),
  };
}
