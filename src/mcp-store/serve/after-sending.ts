/** Calls `done` once a response has been sent, or its client has gone. */

export function afterSending(response: Response, done: () => void): Response {
  // Anything but a stream is complete by now.
  if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
    done();
    return response;
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value } = await reader.read();
        if (value) return controller.enqueue(value);
        done();
        controller.close();
      } catch (thrown) {
        done();
        controller.error(thrown);
      }
    },
    cancel(reason) {
      done();
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
