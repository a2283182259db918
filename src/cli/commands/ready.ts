/** portcullis ready: asks the running server on this machine whether it is ready, for container health checks. */
import { PLANES } from "../../contract/endpoint.ts";
import { AppError } from "../../contract/errors.ts";
import { readText } from "../../net/read-body.ts";
import { createSend } from "../../net/send.ts";
import { listenAddress } from "../../settings.ts";
import type { Command } from "../command.ts";

const TIMEOUT_MS = 2_000;
const MAX_BYTES = 64 * 1024;

export const readyCommand: Command = {
  name: "ready",
  summary: "Check that the server on this machine is ready; exit code 1 if not",
  options: {},
  settings: [
    "PORTCULLIS_LISTEN",
    "PORTCULLIS_LISTEN_ADMIN",
    "PORTCULLIS_LISTEN_GATEWAY",
    "PORTCULLIS_LISTEN_GUARD",
    "PORTCULLIS_LISTEN_MCP",
    "PORTCULLIS_PLANES",
  ],
  async run({ settings }) {
    const [plane = PLANES[0]] = settings.PORTCULLIS_PLANES;
    const url = `http://${toLoopback(listenAddress(settings, plane))}/readyz`;
    const problem = await findProblem(url);
    return problem === undefined
      ? { text: `ready at ${url}`, json: { ready: true, url } }
      : { text: `not ready at ${url}: ${problem}`, json: { ready: false, url, problem }, exit: 1 };
  },
};

async function findProblem(url: string): Promise<string | undefined> {
  try {
    const reply = await createSend()({
      ...{ url, method: "GET", headers: {}, allow_private: true, is_local: true },
      timeouts: { headers_ms: TIMEOUT_MS, idle_ms: TIMEOUT_MS },
    });
    const text = await readText(reply, MAX_BYTES);
    return reply.status === 200 ? undefined : text;
  } catch (thrown) {
    return AppError.from(thrown).message;
  }
}

/** A server that listens on all addresses is reached on loopback. */
const toLoopback = (address: string): string =>
  address.replace(/^(0\.0\.0\.0|\[::\])(?=:)/, "127.0.0.1");
