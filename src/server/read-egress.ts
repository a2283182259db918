/** Reads the egress settings of the installation, with the file of certificate authorities. */
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { AppError } from "../contract/errors.ts";
import { addAuthority, type InstallationEgress } from "../net/egress.ts";
import type { Settings } from "../settings.ts";

export async function readEgress({
  EGRESS_PROXY: proxy_url,
  EGRESS_NO_PROXY: no_proxy,
  EGRESS_CA_FILE: file,
}: Settings): Promise<InstallationEgress> {
  const ca = file === undefined ? undefined : addAuthority(undefined, await readAuthorities(file));
  return { ca, proxy_url, no_proxy };
}

async function readAuthorities(file: string): Promise<string> {
  try {
    const pem = await readFile(file, "utf8");
    new X509Certificate(pem);
    return pem;
  } catch (cause) {
    const text = `EGRESS_CA_FILE: ${file} cannot be read as certificates in PEM format.`;
    throw new AppError("bad_settings", text, { cause });
  }
}
