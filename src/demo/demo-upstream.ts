/** The built-in `demo` upstream: a real server on a loopback port, so a first request needs no paid key. */
import { handleChat } from "./chat.ts";
import { handleEmbeddings } from "./embeddings.ts";
import { createFiles } from "./files.ts";
import { editImages, generateImages, varyImages } from "./images.ts";
import { handleMessages } from "./messages.ts";
import { findModel, listModels } from "./models.ts";
import { handleResponses } from "./responses.ts";
import { handleSpeech } from "./speech.ts";
import { handleTranscriptions } from "./transcriptions.ts";
import { type DemoOptions, errorResponse } from "./wire.ts";

/** Readers stream or cap what they take; this limit only has to let a large file upload pass. */
const MAX_BODY_BYTES = 1024 * 1024 * 1024;

/** It speaks the reference wire and takes every model name, so a request to it takes the usual way. */
export function startDemoUpstream(options: DemoOptions): { url: string; stop(): Promise<void> } {
  const files = createFiles(options);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: MAX_BODY_BYTES,
    idleTimeout: 120, // seconds; the usual ten would cut off a slow client's upload
    routes: {
      "/v1/chat/completions": { POST: keyed((request) => handleChat(options, request)) },
      "/v1/responses": { POST: keyed((request) => handleResponses(options, request)) },
      "/v1/messages": { POST: keyed((request) => handleMessages(options, request)) },
      "/v1/embeddings": { POST: keyed(handleEmbeddings) },
      "/v1/images/generations": { POST: keyed((request) => generateImages(options, request)) },
      "/v1/images/edits": { POST: keyed((request) => editImages(options, request)) },
      "/v1/images/variations": { POST: keyed((request) => varyImages(options, request)) },
      "/v1/audio/speech": { POST: keyed(handleSpeech) },
      "/v1/audio/transcriptions": { POST: keyed(handleTranscriptions) },
      "/v1/files": { POST: keyed(files.upload), GET: keyed(files.list) },
      "/v1/files/:id": { GET: keyed(files.find), DELETE: keyed(files.remove) },
      "/v1/files/:id/content": { GET: keyed(files.content) },
      "/v1/models": { GET: keyed(listModels) },
      "/v1/models/:id": { GET: keyed(findModel) },
    },
    fetch: keyed((request) => {
      const { pathname } = new URL(request.url);
      return errorResponse(404, `Invalid URL (${request.method} ${pathname})`, null, "unknown_url");
    }),
    error: () => errorResponse(500, "The demo upstream failed to answer."),
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}

type Answer<R extends Request> = (request: R) => Response | Promise<Response>;

/** Any key opens the demo, none does not: a registry without credentials has to show. */
function keyed<R extends Request>(answer: Answer<R>): Answer<R> {
  return (request) =>
    /^Bearer +\S/i.test(request.headers.get("authorization") ?? "")
      ? answer(request)
      : errorResponse(
          401,
          "Send any API key as 'Authorization: Bearer …'.",
          null,
          "invalid_api_key",
        );
}
