/** Files of the playground: uploads, lists, downloads and deletes files of the consumer. */
import { useState } from "react";
import { Field, TextField } from "../ui/fields/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { useLoad } from "../use-load.ts";
import { ExchangeView } from "./exchange-view.tsx";
import type { PlaygroundFormProps } from "./playground-page.tsx";
import { readProblem } from "./send-as-consumer.ts";
import { SendButtons } from "./send-buttons.tsx";
import { useExchange } from "./use-exchange.ts";

interface StoredFile {
  id: string;
  filename: string;
  bytes: number;
  purpose: string;
}

export function FileForm({ gateway_id, consumer, send }: PlaygroundFormProps) {
  const [file, setFile] = useState<File>();
  const [purpose, setPurpose] = useState("user_data");
  const exchange = useExchange(send);
  const list = useLoad(consumer.id, async () => {
    const response = await send({ path: "/v1/files" });
    if (!response.ok) throw new Error(await readProblem(response));
    return ((await response.json()) as { data?: StoredFile[] }).data ?? [];
  });
  const upload = () => {
    if (!file) return;
    const form = new FormData();
    form.set("purpose", purpose);
    form.set("file", file);
    exchange.run({ path: "/v1/files", body: form }, async () => list.reload());
  };
  const remove = ({ id }: StoredFile) =>
    exchange.run({ path: filePath(id), method: "DELETE" }, async () => list.reload());
  const download = ({ id, filename }: StoredFile) =>
    exchange.run({ path: `${filePath(id)}/content` }, async (response) =>
      saveAs(await response.blob(), filename),
    );
  return (
    <div className="playground">
      <div>
        <Field label="File">
          {(attributes) => (
            <input
              {...attributes}
              type="file"
              onChange={(event) => setFile(event.target.files?.[0])}
            />
          )}
        </Field>
        <TextField label="Purpose" value={purpose} onChange={setPurpose} />
        <SendButtons exchange={exchange} disabled={!file || purpose === ""} onSend={upload} />
      </div>
      <div>
        {list.state === "error" ? (
          <p className="problem">{list.error.message}</p>
        ) : (
          <Table
            caption="Files of the consumer"
            columns={columnsOf(download, remove)}
            rows={list.state === "ready" ? list.value : []}
            empty={<p>{list.state === "ready" ? "No files." : "Loading…"}</p>}
          />
        )}
        <ExchangeView
          gateway_id={gateway_id}
          exchange={exchange}
          snippet={{
            slug: consumer.slug,
            path: "/v1/files",
            method: "files.create",
            form: { fields: { purpose }, file: file?.name ?? "notes.txt" },
          }}
        />
      </div>
    </div>
  );
}

const filePath = (id: string): string => `/v1/files/${encodeURIComponent(id)}`;

const columnsOf = (
  download: (file: StoredFile) => void,
  remove: (file: StoredFile) => void,
): Column<StoredFile>[] => [
  { head: "Name", rowHeader: true, cell: ({ filename }) => filename },
  { head: "Purpose", cell: ({ purpose }) => purpose },
  { head: "Bytes", number: true, cell: ({ bytes }) => bytes.toLocaleString() },
  {
    head: "Actions",
    cell: (file) => (
      <div className="row tight">
        <button type="button" className="button small" onClick={() => download(file)}>
          <Icon name="download" /> Download
          <span className="visually-hidden"> {file.filename}</span>
        </button>
        <button type="button" className="button small danger" onClick={() => remove(file)}>
          Delete<span className="visually-hidden"> {file.filename}</span>
        </button>
      </div>
    ),
  },
];

/** Lets the browser store a file that was received by a request with a token. */
function saveAs(content: Blob, filename: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = filename;
  link.click();
  URL.revokeObjectURL(link.href);
}
