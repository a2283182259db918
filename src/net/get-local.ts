/** Requests a path of the server on this machine, for health checks. Sends no credential. */
import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";

const MAX_CHARACTERS = 64 * 1024;

/** Returns status and text. The certificate is not verified: it contains the public name, not the listen address. */
export function getLocal(
  url: string,
  timeoutMs: number,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const get = url.startsWith("https:") ? getSecure : getPlain;
    const signal = AbortSignal.timeout(timeoutMs);
    const request = get(url, { rejectUnauthorized: false, signal, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
        if (text.length > MAX_CHARACTERS) response.destroy(new Error("The response is too long."));
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    request.on("error", reject);
  });
}
