/** Runs the `credential_process` of a profile, which prints AWS keys as JSON. */
import { z } from "zod";
import type { AppError } from "../../contract/errors.ts";
import { withTimeout } from "../../lib/time/with-timeout.ts";
import { credentialError, type IssuerHost, parseObject } from "../call-issuer.ts";
import type { IssuedCredential } from "../credential-cache.ts";
import type { AwsKeys } from "./sign-request.ts";

const ProcessOutput = z.object({
  Version: z.literal(1),
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  SessionToken: z.string().nullish(),
  Expiration: z.string().nullish(),
});

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** The command is that of the machine's own files. Its output may contain secrets, so that no error repeats it. */
export async function runCredentialProcess(
  { env, now }: Pick<IssuerHost, "env" | "now">,
  profile: string,
  command: string,
  timeoutMs = TIMEOUT_MS,
): Promise<IssuedCredential<AwsKeys>> {
  const failed = (problem: string) =>
    credentialError(
      `The credential_process of the AWS profile "${profile}" ${problem}. Run the command by hand to see its output.`,
    );
  const output = await runCommand(command, env, { timeoutMs, failed });
  const parsed = ProcessOutput.safeParse(parseObject(output));
  if (!parsed.success) {
    throw failed("did not print JSON with Version 1, AccessKeyId and SecretAccessKey");
  }
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = parsed.data;
  const expires_at = Expiration ? Date.parse(Expiration) : Number.POSITIVE_INFINITY;
  if (!(expires_at > now().getTime())) throw failed("printed keys that have expired");
  return {
    value: {
      access_key_id: AccessKeyId,
      secret_access_key: SecretAccessKey,
      session_token: SessionToken || undefined,
    },
    expires_at,
  };
}

interface RunOptions {
  timeoutMs: number;
  failed: (problem: string) => AppError;
}

/** Returns what the command printed, if it succeeds in time. */
async function runCommand(
  command: string,
  env: IssuerHost["env"],
  { timeoutMs, failed }: RunOptions,
): Promise<string> {
  const child = startShell(command, env, failed);
  const read = async (): Promise<string> => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of child.stdout) {
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) throw failed(`printed more than ${MAX_OUTPUT_BYTES / 1024} KiB`);
      chunks.push(chunk);
    }
    const status = await child.exited;
    if (status !== 0) throw failed(`exited with status ${status}`);
    return Buffer.concat(chunks).toString();
  };
  try {
    const late = () => failed(`did not finish in ${timeoutMs / 1000} seconds`);
    return await withTimeout(read(), timeoutMs, late);
  } catch (error) {
    killGroup(child.pid);
    throw error;
  }
}

function startShell(command: string, env: IssuerHost["env"], failed: RunOptions["failed"]) {
  try {
    // Detached: it leads a process group, so that its own children end with it.
    return Bun.spawn(["/bin/sh", "-c", command], {
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      detached: true,
    });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException; // of the system, such as ENOENT in an image without a shell
    throw failed(`could not be started in /bin/sh (${code})`);
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of its processes have ended.
  }
}
