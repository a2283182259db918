/** Reads the profiles in the shared credentials and config files of AWS. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { IssuerHost } from "../call-issuer.ts";

export type Profile = Readonly<Record<string, string | undefined>>;

/** Missing files count as empty. Values in the credentials file win. */
export async function readProfiles(env: IssuerHost["env"]): Promise<ReadonlyMap<string, Profile>> {
  const folder = join(env.HOME ?? "/", ".aws");
  const config = await readOptional(env.AWS_CONFIG_FILE ?? join(folder, "config"));
  const credentials = await readOptional(
    env.AWS_SHARED_CREDENTIALS_FILE ?? join(folder, "credentials"),
  );
  const profiles = new Map<string, Profile>();
  for (const text of [config, credentials]) {
    for (const [section, members] of parseSections(text)) {
      const name = section.replace(/^profile\s+/, "");
      profiles.set(name, { ...profiles.get(name), ...members });
    }
  }
  return profiles;
}

const readOptional = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

function parseSections(text: string): Map<string, Record<string, string>> {
  const sections = new Map<string, Record<string, string>>();
  let current: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const section = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (section !== undefined) {
      current = sections.get(section) ?? {};
      sections.set(section, current);
      continue;
    }
    // Indented lines belong to nested settings, such as those of s3.
    const [, name, value] = /^([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) current[name.toLowerCase()] = value;
  }
  return sections;
}
