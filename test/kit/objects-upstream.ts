/** An upstream that stores responses, conversations, uploads, batches and files, as OpenAI and Anthropic do. */
import { type ReceivedRequest, startUpstream, type UpstreamResponse } from "./upstream.ts";

type StoredObject = Record<string, unknown> & { id: string };

/** Collections by path, with the prefix of their ids. */
const PREFIXES: Record<string, string> = {
  responses: "resp_",
  conversations: "conv_",
  uploads: "upload_",
  batches: "batch_",
  "messages/batches": "msgbatch_",
  files: "file-",
};

const RESULT = { custom_id: "a", result: { type: "succeeded", message: { content: [] } } };
const notFound = (id: string): UpstreamResponse => ({
  status: 404,
  body: { error: { message: `No such object: ${id}` } },
});

/** Ids are the prefix of their collection, `name` and a number from 1 on. */
export function startObjectsUpstream(name = "") {
  const objects = new Map<string, StoredObject>();
  let count = 0;
  const add = (collection: string, members: object = {}): StoredObject => {
    count += 1;
    const object = { id: `${PREFIXES[collection]}${name}${count}`, collection, ...members };
    objects.set(object.id, object);
    return object;
  };

  const create = (collection: string, { body }: ReceivedRequest): UpstreamResponse => {
    const sent = collection === "files" ? {} : JSON.parse(body.toString() || "{}");
    const { previous_response_id: previous } = sent;
    if (previous !== undefined && !objects.has(previous)) {
      return { status: 400, body: { error: { code: "previous_response_not_found" } } };
    }
    const usage = { input_tokens: 3, output_tokens: 2 };
    const object = add(collection, collection === "responses" ? { usage } : {});
    if (!sent.stream) return { body: object };
    const events = ["response.created", "response.completed"].map(
      (type) => `event: ${type}\ndata: ${JSON.stringify({ type, response: object })}\n\n`,
    );
    return { headers: { "content-type": "text/event-stream" }, chunks: events };
  };

  const act = (object: StoredObject, rest: string, hit: ReceivedRequest): UpstreamResponse => {
    const { id, collection } = object;
    if (rest === "" && hit.method === "DELETE") {
      objects.delete(id);
      return { body: { id, deleted: true } };
    }
    if (rest === "/results") {
      const headers = { "content-type": "application/x-jsonl" };
      return { headers, body: `${JSON.stringify(RESULT)}\n${JSON.stringify(RESULT)}\n` };
    }
    if (rest === "/complete") return { body: { ...object, file: add("files") } };
    if (rest === "/content") return { body: `content of ${id}` };
    if (collection === "batches" && rest === "") {
      object.output_file_id ??= add("files").id;
    }
    if (collection === "messages/batches") {
      object.processing_status = "ended";
      object.results_url = `https://api.anthropic.com/v1/messages/batches/${id}/results`;
    }
    const items = rest === "/input_items" || rest === "/items";
    return { body: items ? { object: "list", data: [{ id: "msg_1" }] } : object };
  };

  return startUpstream((hit) => {
    const path = hit.path.replace(/^\/v1\//, "");
    const [collection = ""] = Object.keys(PREFIXES).filter((each) => path.startsWith(each));
    const [, id, rest = ""] = /^\/([^/]+)(.*)$/.exec(path.slice(collection.length)) ?? [];
    if (id === undefined) {
      if (hit.method === "POST") return create(collection, hit);
      const data = [...objects.values()].filter((object) => object.collection === collection);
      return { body: { object: "list", data, has_more: false } };
    }
    const object = objects.get(id);
    return object ? act(object, rest, hit) : notFound(id);
  });
}
