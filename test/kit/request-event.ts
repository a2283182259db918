/** A request event of a given time, with numbers that the two databases return in different types. */
import type { RequestEvent } from "../../src/contract/gateway/requests.ts";

export const requestEvent = (time: string): RequestEvent => ({
  id: Bun.randomUUIDv7("hex", Date.parse(time)),
  time,
  trace_id: "t",
  gateway_id: "g",
  consumer_id: "c",
  key_id: "k",
  user_id: null,
  endpoint: "chat",
  method: "POST",
  registry_id: null,
  provider: null,
  attempts: [],
  model_asked: null,
  model_sent: null,
  status: 200,
  error_code: null,
  error_message: null,
  upstream_error: null,
  request_bytes: 5_000_000_000,
  response_bytes: 1,
  ttfb_ms: 1.5,
  total_ms: 2.25,
  input_tokens: null,
  output_tokens: 7,
});
