/** Transcription of the playground: a file, or a recording of the microphone. */
import { useEffect, useRef, useState } from "react";
import { Field } from "../ui/fields/field.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { ModelField, pickModel } from "./model-field.tsx";
import type { PlaygroundFormProps } from "./playground-page.tsx";
import { SendButtons } from "./send-buttons.tsx";
import { useExchange } from "./use-exchange.ts";

export function TranscriptionForm({ gateway_id, consumer, send, models }: PlaygroundFormProps) {
  const [model, setModel] = useState(() => pickModel(models, /transcri|whisper/i));
  const [file, setFile] = useState<File>();
  const [text, setText] = useState<string>();
  const exchange = useExchange(send);
  const submit = () => {
    if (!file) return;
    const form = new FormData();
    if (model) form.set("model", model);
    form.set("file", file);
    exchange.run({ path: "/v1/audio/transcriptions", body: form }, async (response) => {
      setText(((await response.json()) as { text?: string }).text ?? "");
    });
  };
  return (
    <div className="playground">
      <div>
        <ModelField value={model} models={models} onChange={setModel} />
        <Field label="Audio file">
          {(attributes) => (
            <input
              {...attributes}
              type="file"
              accept="audio/*"
              onChange={(event) => setFile(event.target.files?.[0])}
            />
          )}
        </Field>
        <Recorder onRecorded={setFile} />
        {file && <p className="hint">Selected: {file.name}</p>}
        <SendButtons exchange={exchange} disabled={!file} onSend={submit} />
      </div>
      <div>
        {text !== undefined && (
          <section aria-label="Transcript">
            <p>{text}</p>
          </section>
        )}
        <ExchangeView
          gateway_id={gateway_id}
          exchange={exchange}
          snippet={{
            slug: consumer.slug,
            path: "/v1/audio/transcriptions",
            method: "audio.transcriptions.create",
            form: { fields: model ? { model } : {}, file: file?.name ?? "speech.mp3" },
          }}
        />
      </div>
    </div>
  );
}

/** Turns the microphone off. */
function release(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

/** Records the microphone. Browsers allow it only on HTTPS and localhost. */
function Recorder({ onRecorded }: { onRecorded: (file: File) => void }) {
  const recorder = useRef<MediaRecorder>(undefined);
  const isMounted = useRef(false);
  const [isRecording, setRecording] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
      release(recorder.current?.stream);
    };
  }, []);
  const start = async () => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      // The user may have left the page before the permission was granted.
      if (!isMounted.current) return release(stream);
      const made = new MediaRecorder(stream);
      made.ondataavailable = ({ data }) => {
        release(stream);
        if (!isMounted.current) return;
        const extension = data.type.includes("mp4") ? "mp4" : "webm"; // Safari records MP4
        onRecorded(new File([data], `recording.${extension}`, { type: data.type }));
      };
      made.start();
      recorder.current = made;
      setRecording(true);
      setProblem(undefined);
    } catch {
      setProblem("The browser does not allow access to a microphone here.");
    }
  };
  const stop = () => {
    recorder.current?.stop();
    setRecording(false);
  };
  return (
    <>
      <button
        type="button"
        className="button"
        aria-pressed={isRecording}
        onClick={() => (isRecording ? stop() : void start())}
      >
        {isRecording ? "Stop recording" : "Record"}
      </button>
      {problem && <p className="problem">{problem}</p>}
    </>
  );
}
