/** Checks the machine: data folder, ports, limit of open files. */
import { X509Certificate } from "node:crypto";
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { AppError } from "../../contract/errors.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { getLocal } from "../../net/get-local.ts";
import { listenAddress, listenScheme, listenSetting } from "../../settings.ts";
import { toReachableOrigin } from "../http/to-reachable-origin.ts";
import { keyFile } from "../keyring.ts";
import { readTlsFiles } from "../tls-files.ts";
import type { Check, CheckContext } from "./check.ts";

export async function checkMachine(context: CheckContext): Promise<Check[]> {
  const { settings } = context;
  const addresses = new Map(
    settings.PORTCULLIS_PLANES.map((plane) => [
      listenAddress(settings, plane),
      listenSetting(settings, plane),
    ]),
  );
  return [
    checkFolder(context),
    ...checkKeyFile(context),
    ...checkTls(context),
    ...(await Promise.all(
      [...addresses].map(([address, setting]) =>
        checkPort(address, setting, listenScheme(settings)),
      ),
    )),
    checkOpenFiles(),
  ];
}

function checkFolder({ settings }: CheckContext): Check {
  const name = "data folder";
  const folder = resolve(settings.PORTCULLIS_DATA_DIR);
  // A missing folder is created at start, inside the nearest existing one.
  let nearest = folder;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch {
    const todo = "Make it writable for the user that runs Portcullis, or set PORTCULLIS_DATA_DIR.";
    return { name, state: "fail", message: `${nearest} is not writable`, todo };
  }
  if (nearest !== folder) {
    return { name, state: "ok", message: `${folder} will be created at the first start` };
  }
  if (!statSync(folder).isDirectory()) {
    const todo = "Set PORTCULLIS_DATA_DIR to a folder.";
    return { name, state: "fail", message: `${folder} is a file`, todo };
  }
  return checkSpace(name, folder) ?? checkMode(name, folder, "700");
}

const MIN_FREE_MIB = 512;

/** Returns a check that fails on a full disk and warns of one that is almost full; undefined otherwise. */
function checkSpace(name: string, folder: string): Check | undefined {
  const { bavail, bsize } = statfsSync(folder);
  const free = Math.floor((bavail * bsize) / 2 ** 20);
  if (free >= MIN_FREE_MIB) return undefined;
  const message =
    free === 0 ? `the disk of ${folder} is full` : `${free} MiB are free in ${folder}`;
  const todo =
    "Free space, or enlarge the disk. EVENT_RETENTION_DAYS and retention_days limit what events use.";
  return { name, state: free === 0 ? "fail" : "warn", message, todo };
}

function checkKeyFile({ settings }: CheckContext): Check[] {
  const file = keyFile(settings);
  if (settings.PORTCULLIS_KEYS !== undefined || !existsSync(file)) return [];
  return [checkMode("key file", file, "600")];
}

function checkMode(name: string, path: string, mode: string): Check {
  if ((statSync(path).mode & 0o077) === 0) {
    return { name, state: "ok", message: `${path} is private` };
  }
  const message = `other users of this machine can read ${path}`;
  return { name, state: "warn", message, todo: `chmod ${mode} ${shellQuote(path)}` };
}

const EXPIRES_SOON_MS = 14 * 86_400_000;

function checkTls({ settings, now }: CheckContext): Check[] {
  const name = "TLS certificate";
  try {
    const pair = readTlsFiles(settings);
    if (!pair) return [];
    const end = Date.parse(new X509Certificate(pair.cert).validTo);
    const message = `valid until ${new Date(end).toISOString()}`;
    if (end > now().getTime() + EXPIRES_SOON_MS) return [{ name, state: "ok", message }];
    return [
      { name, state: "warn", message, todo: "Renew it; it is read again without a restart." },
    ];
  } catch (thrown) {
    const todo =
      "Set TLS_CERT_FILE and TLS_KEY_FILE to the PEM files of a certificate and its key.";
    return [{ name, state: "fail", message: AppError.from(thrown).message, todo }];
  }
}

async function checkPort(address: string, setting: string, scheme: string): Promise<Check> {
  const name = `listen ${address}`;
  const [, host = "", port = ""] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  const failure = await tryToListen(host, Number(port));
  if (!failure) return { name, state: "ok", message: "free" };
  if (failure.code === "EADDRINUSE") {
    if (await isPortcullis(scheme, host, port)) {
      return { name, state: "ok", message: "used by a running Portcullis" };
    }
    const todo = `Stop the other program, or set ${setting} to another port.`;
    return { name, state: "fail", message: "another program uses this port", todo };
  }
  const todo = `Set ${setting} to an address of this machine and a port above 1023.`;
  return { name, state: "fail", message: failure.message, todo };
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => done(error));
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(undefined)));
  });
}

async function isPortcullis(scheme: string, host: string, port: string): Promise<boolean> {
  const origin = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
  try {
    const { text } = await getLocal(`${toReachableOrigin(origin)}/healthz`, HEALTH_TIMEOUT_MS);
    return Bun.deepEquals(JSON.parse(text), { status: "ok" });
  } catch {
    return false; // not Portcullis
  }
}

const HEALTH_TIMEOUT_MS = 1_000;

const MIN_OPEN_FILES = 4096;

function checkOpenFiles(): Check {
  const name = "open files";
  const { stdout } = Bun.spawnSync(["sh", "-c", "ulimit -n"]);
  const limit = stdout.toString().trim();
  if (limit === "unlimited" || Number(limit) >= MIN_OPEN_FILES) {
    return { name, state: "ok", message: `limit ${limit}` };
  }
  const message = `limit ${limit} is low: each request uses two connections, and each connection one file`;
  const todo = "Raise it with ulimit -n 65536, or LimitNOFILE= in a systemd unit.";
  return { name, state: "warn", message, todo };
}
