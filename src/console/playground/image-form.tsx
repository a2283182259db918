/** Images of the playground: shows the generated picture. */
import { useState } from "react";
import { AreaField, TextField } from "../ui/fields/field.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { ModelField, pickModel } from "./model-field.tsx";
import type { PlaygroundFormProps } from "./playground-page.tsx";
import { SendButtons } from "./send-buttons.tsx";
import { useExchange } from "./use-exchange.ts";

export function ImageForm({ gateway_id, consumer, send, models }: PlaygroundFormProps) {
  const [model, setModel] = useState(() => pickModel(models, /image|dall|flux/i));
  const [prompt, setPrompt] = useState("A castle gate at dawn");
  const [size, setSize] = useState("256x256");
  const [image, setImage] = useState<{ bytes?: string | undefined; url?: string | undefined }>();
  const exchange = useExchange(send);
  const body = { ...(model ? { model } : {}), prompt, ...(size ? { size } : {}) };
  const submit = () =>
    exchange.run({ path: "/v1/images/generations", body }, async (response) => {
      const list = (await response.json()) as { data?: { b64_json?: string; url?: string }[] };
      const first = list.data?.[0];
      setImage({ bytes: first?.b64_json, url: first?.url });
    });
  return (
    <div className="playground">
      <div>
        <ModelField value={model} models={models} onChange={setModel} />
        <AreaField label="Prompt" value={prompt} rows={3} onChange={setPrompt} />
        <TextField label="Size" value={size} onChange={setSize} />
        <SendButtons exchange={exchange} disabled={prompt === ""} onSend={submit} />
      </div>
      <div>
        {image?.bytes && (
          <img className="picture" src={`data:image/png;base64,${image.bytes}`} alt={prompt} />
        )}
        {/* The page loads nothing from other hosts. */}
        {image?.url && (
          <p>
            The upstream returned an address: <a href={image.url}>{image.url}</a>
          </p>
        )}
        <ExchangeView
          gateway_id={gateway_id}
          exchange={exchange}
          snippet={{
            slug: consumer.slug,
            path: "/v1/images/generations",
            method: "images.generate",
            json: body,
          }}
        />
      </div>
    </div>
  );
}
