/** Splits a Converse stream into events: each message of the binary framing has a type and a JSON payload. */
import { createAwsEventDecoder } from "../../lib/streams/aws-event-stream.ts";
import type { EventSource } from "../dialect.ts";
import { invalidResponse } from "../invalid-response.ts";

export function createConverseSplitter(): EventSource {
  const decoder = createAwsEventDecoder();
  return {
    push(chunk) {
      const messages = decode(() => decoder.push(chunk));
      return messages.map(({ headers, payload }) => {
        const type = headers.get(":message-type");
        if (type === "error") {
          const message = headers.get(":error-message") ?? headers.get(":error-code");
          return { name: "error", data: JSON.stringify({ message }) };
        }
        const name = headers.get(type === "exception" ? ":exception-type" : ":event-type");
        return { name: name ?? "", data: payload };
      });
    },
    end() {
      if (!decoder.isComplete()) throw invalidResponse("ended inside an event");
      return [];
    },
  };
}

function decode<Value>(run: () => Value): Value {
  try {
    return run();
  } catch (thrown) {
    throw invalidResponse(`is not a valid event stream: ${(thrown as Error).message}`);
  }
}
