/** `GET /v1/models` and `GET /v1/models/{id}`: the models of the demo upstream. */
import type { BunRequest } from "bun";
import { errorResponse } from "./wire.ts";

const IDS = [
  "demo-chat",
  "demo-embedding",
  "demo-image",
  "demo-moderation",
  "demo-speech",
  "demo-transcribe",
];
const MODELS = IDS.map((id) => ({
  id,
  object: "model",
  created: Date.UTC(2025, 0, 1) / 1000,
  owned_by: "portcullis",
}));

export const listModels = (): Response => Response.json({ object: "list", data: MODELS });

export function findModel({ params: { id } }: BunRequest<"/v1/models/:id">): Response {
  const model = MODELS.find((one) => one.id === id);
  return model
    ? Response.json(model)
    : errorResponse(404, `The model '${id}' does not exist.`, "model", "model_not_found");
}
