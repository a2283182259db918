/** Reads the certificate and key of the listener, and reads them again when they change. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { AppError } from "../contract/errors.ts";
import type { Log } from "../lib/log.ts";
import { type FilesWatch, watchFiles } from "../lib/watch-files.ts";
import type { SettingName, Settings } from "../settings.ts";
import { describeReason } from "./doctor/check.ts";

/** PEM texts. */
export interface TlsPair {
  cert: string;
  key: string;
}

type TlsSettings = Pick<Settings, "TLS_CERT_FILE" | "TLS_KEY_FILE">;

/** Returns undefined when TLS is not configured. Throws when the files are not a certificate and its key. */
export function readTlsFiles({ TLS_CERT_FILE, TLS_KEY_FILE }: TlsSettings): TlsPair | undefined {
  if (TLS_CERT_FILE === undefined && TLS_KEY_FILE === undefined) return undefined;
  if (TLS_CERT_FILE === undefined) throw invalid("TLS_CERT_FILE", "is required with TLS_KEY_FILE");
  if (TLS_KEY_FILE === undefined) throw invalid("TLS_KEY_FILE", "is required with TLS_CERT_FILE");
  const pair = {
    cert: readText("TLS_CERT_FILE", TLS_CERT_FILE),
    key: readText("TLS_KEY_FILE", TLS_KEY_FILE),
  };
  const certificate = parse("TLS_CERT_FILE", "must be a PEM file with a certificate", () => {
    return new X509Certificate(pair.cert);
  });
  const key = parse("TLS_KEY_FILE", "must be a PEM file with an unencrypted private key", () =>
    createPrivateKey(pair.key),
  );
  if (!certificate.checkPrivateKey(key)) {
    throw invalid("TLS_KEY_FILE", "does not belong to the first certificate in TLS_CERT_FILE");
  }
  return pair;
}

/** Calls `replace` with each new pair. An invalid pair is logged, and the old one stays in use. */
export function watchTlsFiles(
  settings: TlsSettings,
  { log, replace }: { log: Log; replace: (pair: TlsPair) => void },
): FilesWatch {
  const { TLS_CERT_FILE = "", TLS_KEY_FILE = "" } = settings;
  let current = readTlsFiles(settings);
  let problem: string | undefined;
  return watchFiles([TLS_CERT_FILE, TLS_KEY_FILE], () => {
    try {
      const pair = readTlsFiles(settings);
      problem = undefined;
      if (!pair || Bun.deepEquals(pair, current)) return;
      replace(pair);
      current = pair;
      const { validTo } = new X509Certificate(pair.cert);
      log("tls_certificate_replaced", { valid_to: new Date(validTo).toISOString() });
    } catch (thrown) {
      const { message } = AppError.from(thrown);
      if (message !== problem) log("tls_certificate_rejected", { level: "error", message });
      problem = message;
    }
  });
}

function readText(setting: SettingName, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw invalid(setting, `cannot be read: ${describeReason(thrown)}`, thrown);
  }
}

function parse<T>(setting: SettingName, rule: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw invalid(setting, rule, thrown);
  }
}

const invalid = (setting: SettingName, problem: string, cause?: unknown): AppError =>
  new AppError("bad_settings", `${setting}: ${problem}.`, { cause });
