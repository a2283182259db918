/** Speech of the playground: plays the audio. */
import { useEffect, useState } from "react";
import { AreaField, TextField } from "../ui/fields/field.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { ModelField, pickModel } from "./model-field.tsx";
import type { PlaygroundFormProps } from "./playground-page.tsx";
import { SendButtons } from "./send-buttons.tsx";
import { useExchange } from "./use-exchange.ts";

export function SpeechForm({ gateway_id, consumer, send, models }: PlaygroundFormProps) {
  const [model, setModel] = useState(() => pickModel(models, /speech|tts/i));
  const [input, setInput] = useState("The gate is open.");
  const [voice, setVoice] = useState("alloy");
  const [audio, setAudio] = useState<string>();
  useEffect(() => () => (audio === undefined ? undefined : URL.revokeObjectURL(audio)), [audio]);
  const exchange = useExchange(send);
  const body = { ...(model ? { model } : {}), input, voice };
  const submit = () =>
    exchange.run({ path: "/v1/audio/speech", body }, async (response) =>
      setAudio(URL.createObjectURL(await response.blob())),
    );
  return (
    <div className="playground">
      <div>
        <ModelField value={model} models={models} onChange={setModel} />
        <AreaField label="Text" value={input} rows={3} onChange={setInput} />
        <TextField label="Voice" value={voice} onChange={setVoice} />
        <SendButtons exchange={exchange} disabled={input === ""} onSend={submit} />
      </div>
      <div>
        {audio && (
          // biome-ignore lint/a11y/useMediaCaption: the text field has the same words
          <audio controls src={audio} aria-label="Generated speech" />
        )}
        <ExchangeView
          gateway_id={gateway_id}
          exchange={exchange}
          snippet={{
            slug: consumer.slug,
            path: "/v1/audio/speech",
            method: "audio.speech.create",
            json: body,
          }}
        />
      </div>
    </div>
  );
}
