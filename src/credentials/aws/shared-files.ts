/** Reads the profiles and SSO sessions in the shared credentials and config files of AWS. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { IssuerHost } from "../call-issuer.ts";

export type Section = Readonly<Record<string, string | undefined>>;

export interface SharedFiles {
  profiles: ReadonlyMap<string, Section>;
  /** `[sso-session NAME]` sections, by name. */
  ssoSessions: ReadonlyMap<string, Section>;
}

/** Missing files count as empty. Values in the credentials file win. */
export async function readSharedFiles(env: IssuerHost["env"]): Promise<SharedFiles> {
  const config = await readSections(env.AWS_CONFIG_FILE ?? awsFile(env, "config"));
  const credentials = await readSections(
    env.AWS_SHARED_CREDENTIALS_FILE ?? awsFile(env, "credentials"),
  );
  // Other sections without the word "profile" are none; `[profile default]` replaces `[default]`.
  const profiles = new Map([...config].filter(([header]) => header === "default"));
  for (const [name, members] of sectionsOf(config, "profile")) profiles.set(name, members);
  for (const [name, members] of credentials) {
    profiles.set(name, { ...profiles.get(name), ...members });
  }
  return { profiles, ssoSessions: new Map(sectionsOf(config, "sso-session")) };
}

/** Returns the path of a file in the `.aws` folder of the user. */
export const awsFile = (env: IssuerHost["env"], ...path: string[]): string =>
  join(env.HOME ?? "/", ".aws", ...path);

const sectionsOf = (sections: ReadonlyMap<string, Section>, kind: string) =>
  [...sections]
    .filter(([header]) => header.startsWith(`${kind} `))
    .map(([header, members]): [string, Section] => [header.slice(kind.length + 1), members]);

async function readSections(path: string): Promise<ReadonlyMap<string, Section>> {
  const text = await readFile(path, "utf8").catch(() => "");
  const sections = new Map<string, Record<string, string>>();
  let current: Record<string, string> = {};
  let isNested = false;
  for (const line of text.split("\n")) {
    const content = (line.split(/(?:^|\s)[;#]/, 1)[0] ?? "").trim();
    const header = /^\[\s*(.+?)\s*\]$/.exec(content)?.[1];
    if (header !== undefined) {
      const name = header.replace(/^(profile|sso-session)\s+(["']?)(.+)\2$/, "$1 $3");
      current = sections.get(name) ?? {};
      sections.set(name, current);
      isNested = false;
      continue;
    }
    const [, name, value] = /^([^=]*?)\s*=\s*(.*)$/.exec(content) ?? [];
    if (name === undefined || value === undefined) continue;
    // Indented lines after a member without a value are nested settings, such as those of s3.
    isNested = value === "" || (isNested && /^\s/.test(line));
    if (!isNested) current[name.toLowerCase()] = value;
  }
  return sections;
}
