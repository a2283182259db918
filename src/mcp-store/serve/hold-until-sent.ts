/** Keeps what a response holds, such as its share of the memory budget, until the client has read it. */

/** Sends the body in parts, as fast as the client reads them. Calls `end` after the last part, or when the client disconnects. */
export function holdUntilSent(response: Response, end: () => void): Response {
  const reader = response.body?.getReader();
  if (!reader) {
    end();
    return response;
  }
  let rest = new Uint8Array();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          while (rest.length === 0) {
            const { value, done } = await reader.read();
            if (done) {
              end();
              return controller.close();
            }
            rest = value;
          }
        } catch (thrown) {
          end();
          throw thrown;
        }
        controller.enqueue(rest.subarray(0, PART_BYTES));
        rest = rest.subarray(PART_BYTES);
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

const PART_BYTES = 64 * 1024;
