/** portcullis ready: asks the running server on this machine whether it is ready, for container health checks. */
import { PLANES } from "../../contract/endpoint.ts";
import { getLocal } from "../../net/get-local.ts";
import { describeReason } from "../../server/doctor/check.ts";
import { listenAddress, listenScheme } from "../../settings.ts";
import type { Command } from "../command.ts";

const TIMEOUT_MS = 2_000;

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
    "TLS_CERT_FILE",
  ],
  async run({ settings }) {
    const [plane = PLANES[0]] = settings.PORTCULLIS_PLANES;
    const scheme = listenScheme(settings);
    const url = `${scheme}://${toLoopback(listenAddress(settings, plane))}/readyz`;
    const problem = await findProblem(url);
    return problem === undefined
      ? { text: `ready at ${url}`, json: { ready: true, url } }
      : { text: `not ready at ${url}: ${problem}`, json: { ready: false, url, problem }, exit: 1 };
  },
};

async function findProblem(url: string): Promise<string | undefined> {
  try {
    const { status, text } = await getLocal(url, TIMEOUT_MS);
    return status === 200 ? undefined : text;
  } catch (thrown) {
    return describeReason(thrown);
  }
}

/** A server that listens on all addresses is reached on loopback. */
const toLoopback = (address: string): string =>
  address.replace(/^(0\.0\.0\.0|\[::\])(?=:)/, "127.0.0.1");
