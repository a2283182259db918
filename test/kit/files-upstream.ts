/** An upstream that keeps files as the reference does: upload, list, retrieve, download, delete. */
import { type ReceivedRequest, startUpstream, type UpstreamResponse } from "./upstream.ts";

/** Ids are `file-{prefix}{n}` from 1 on, so that a test knows the next one. */
export function startFilesUpstream(prefix = "") {
  const files = new Map<string, { id: string; object: "file"; purpose: string }>();
  let uploads = 0;

  const upload = (): UpstreamResponse => {
    uploads += 1;
    const file = { id: `file-${prefix}${uploads}`, object: "file", purpose: "assistants" } as const;
    files.set(file.id, file);
    return { body: file };
  };
  const list = (): UpstreamResponse => {
    const data = [...files.values()];
    const paging = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return { body: { object: "list", data, ...paging, has_more: true } };
  };
  const one = ({ method }: ReceivedRequest, id: string, content: boolean): UpstreamResponse => {
    const file = files.get(id);
    if (!file) return { status: 404, body: { error: { message: `No such file: ${id}` } } };
    if (content) return { headers: { "content-type": "text/plain" }, body: `content of ${id}` };
    if (method === "DELETE") files.delete(id);
    return { body: method === "DELETE" ? { id, object: "file", deleted: true } : file };
  };
  return startUpstream((hit) => {
    const [, , , id, content] = hit.path.split("/");
    if (id !== undefined) return one(hit, id, content !== undefined);
    return hit.method === "POST" ? upload() : list();
  });
}
