/** Embeddings of the playground: compares the texts of each line with the first one. */
import { useState } from "react";
import { AreaField } from "../ui/fields/field.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import { ModelField, pickModel } from "./model-field.tsx";
import type { PlaygroundFormProps } from "./playground-page.tsx";
import { SendButtons } from "./send-buttons.tsx";
import { useExchange } from "./use-exchange.ts";

export function EmbeddingForm({ gateway_id, consumer, send, models }: PlaygroundFormProps) {
  const [model, setModel] = useState(() => pickModel(models, /embed/i));
  const [lines, setLines] = useState("A castle gate\nThe door of a fortress\nA bowl of soup");
  const [vectors, setVectors] = useState<{ text: string; vector: number[] }[]>([]);
  const exchange = useExchange(send);
  const input = lines.split("\n").filter((line) => line.trim() !== "");
  const body = { ...(model ? { model } : {}), input };
  const submit = () =>
    exchange.run({ path: "/v1/embeddings", body }, async (response) => {
      const list = (await response.json()) as { data?: { embedding: number[] }[] };
      setVectors(
        input.map((text, index) => ({ text, vector: list.data?.[index]?.embedding ?? [] })),
      );
    });
  const [first] = vectors;
  return (
    <div className="playground">
      <div>
        <ModelField value={model} models={models} onChange={setModel} />
        <AreaField label="Texts, one per line" value={lines} rows={5} onChange={setLines} />
        <SendButtons exchange={exchange} disabled={input.length === 0} onSend={submit} />
      </div>
      <div>
        {first && (
          <div className="table">
            <table>
              <caption className="visually-hidden">Similarity with the first text</caption>
              <thead>
                <tr>
                  <th scope="col">Text</th>
                  <th scope="col" className="number">
                    Dimensions
                  </th>
                  <th scope="col" className="number">
                    Similarity with the first
                  </th>
                </tr>
              </thead>
              <tbody>
                {vectors.map(({ text, vector }) => (
                  <tr key={text}>
                    <th scope="row">{text}</th>
                    <td className="number">{vector.length.toLocaleString()}</td>
                    <td className="number">{toSimilarity(first.vector, vector).toFixed(3)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <ExchangeView
          gateway_id={gateway_id}
          exchange={exchange}
          snippet={{
            slug: consumer.slug,
            path: "/v1/embeddings",
            method: "embeddings.create",
            json: body,
          }}
        />
      </div>
    </div>
  );
}

/** Cosine similarity. */
function toSimilarity(one: readonly number[], other: readonly number[]): number {
  let [product, left, right] = [0, 0, 0];
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    product += value * against;
    left += value * value;
    right += against * against;
  }
  return product / (Math.sqrt(left * right) || 1);
}
