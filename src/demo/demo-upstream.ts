/** The built-in `demo` upstream: an HTTP server on a loopback port, so that a first request needs no paid key. */
import type { BunRequest } from "bun";
import { handleChat } from "./chat.ts";
import { handleCompletions } from "./completions.ts";
import { handleEmbeddings } from "./embeddings.ts";
import { createFiles } from "./files.ts";
import { handleGenerateContent } from "./generate-content.ts";
import { editImages, generateImages, varyImages } from "./images.ts";
import { countMessageTokens, handleMessages } from "./messages.ts";
import { findModel, listModels } from "./models.ts";
import { handleModerations } from "./moderations.ts";
import { handleResponses } from "./responses.ts";
import { handleSpeech } from "./speech.ts";
import { handleTranscriptions } from "./transcriptions.ts";
import { type DemoOptions, errorResponse } from "./wire.ts";

/** Allows large file uploads; the readers stream or cap their input. */
const MAX_BODY_BYTES = 1024 * 1024 * 1024;

/** Starts a server in the OpenAI format that accepts every model name, so requests use the normal path. */
export function startDemoUpstream(options: DemoOptions): { url: string; stop(): Promise<void> } {
  const files = createFiles(options);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: MAX_BODY_BYTES,
    idleTimeout: 120, // seconds; the default of ten would interrupt slow uploads
    routes: {
      "/v1/chat/completions": { POST: requireKey((request) => handleChat(options, request)) },
      "/v1/responses": { POST: requireKey((request) => handleResponses(options, request)) },
      "/v1/messages": { POST: requireKey((request) => handleMessages(options, request)) },
      "/v1/messages/count_tokens": { POST: requireKey(countMessageTokens) },
      "/v1/completions": { POST: requireKey((request) => handleCompletions(options, request)) },
      "/v1/moderations": { POST: requireKey((request) => handleModerations(options, request)) },
      "/v1beta/models/:call": {
        POST: requireKey((request: BunRequest<"/v1beta/models/:call">) =>
          handleGenerateContent(options, request, request.params.call),
        ),
      },
      "/v1/embeddings": { POST: requireKey(handleEmbeddings) },
      "/v1/images/generations": { POST: requireKey((request) => generateImages(options, request)) },
      "/v1/images/edits": { POST: requireKey((request) => editImages(options, request)) },
      "/v1/images/variations": { POST: requireKey((request) => varyImages(options, request)) },
      "/v1/audio/speech": { POST: requireKey(handleSpeech) },
      "/v1/audio/transcriptions": { POST: requireKey(handleTranscriptions) },
      "/v1/files": { POST: requireKey(files.upload), GET: requireKey(files.list) },
      "/v1/files/:id": { GET: requireKey(files.find), DELETE: requireKey(files.remove) },
      "/v1/files/:id/content": { GET: requireKey(files.content) },
      "/v1/models": { GET: requireKey(listModels) },
      "/v1/models/:id": { GET: requireKey(findModel) },
    },
    fetch: requireKey((request) => {
      const { pathname } = new URL(request.url);
      return errorResponse(404, `Invalid URL (${request.method} ${pathname})`, null, "unknown_url");
    }),
    error: () => errorResponse(500, "The demo upstream failed."),
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, stop: () => server.stop(true) };
}

type Handler<R extends Request> = (request: R) => Response | Promise<Response>;

/** Requires any key, so that a registry without credentials fails visibly. */
function requireKey<R extends Request>(handle: Handler<R>): Handler<R> {
  return (request) =>
    /^Bearer +\S/i.test(request.headers.get("authorization") ?? "")
      ? handle(request)
      : errorResponse(
          401,
          "Send any API key as 'Authorization: Bearer …'.",
          null,
          "invalid_api_key",
        );
}
