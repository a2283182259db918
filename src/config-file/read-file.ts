/** Reads a configuration file. Errors name the file, line, column and member. */
import type { z } from "zod";
import { describeIssues, formatPath } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import { REGISTRY_SECRETS } from "../contract/gateway/registries.ts";
import { readYaml, type SourceLocation, type YamlPath } from "../lib/text/read-yaml.ts";
import { detectorSecretPaths } from "./resources/detectors.ts";
import { ConfigFile, DETECTOR_SETTINGS } from "./schema.ts";

export interface Problem {
  path: YamlPath;
  message: string;
}

export interface ConfigSource {
  config: ConfigFile;
  /** Secrets whose variable is not set: the stored ones are kept. */
  keptSecrets: readonly { name: string; path: YamlPath }[];
  /** Returns an error that lists the problems with their locations in the file. */
  toError: (problems: readonly Problem[]) => AppError;
}

export interface ReadOptions {
  /** Name of the file, for messages. */
  file: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Accepts secrets whose variable is not set. */
  keepSecrets: boolean;
}

export function readConfigFile(text: string, options: ReadOptions): ConfigSource {
  const { file, env, keepSecrets } = options;
  const yaml = readYaml(text, env);
  if (yaml.problems.length) throw formatError(file, yaml.problems);
  const toError: ConfigSource["toError"] = (problems) =>
    formatError(
      file,
      problems.map(({ path, message }) => ({ message, location: yaml.locate(path) })),
    );

  const missing = yaml.unset.filter(({ path }) => !keepSecrets || !isSecret(path));
  if (missing.length) {
    throw toError(
      missing.map(({ name, path }) => ({
        path,
        message: `${formatPath(path)}: the variable ${name} is not set`,
      })),
    );
  }
  const parsed = ConfigFile.safeParse(yaml.value, { reportInput: false });
  if (!parsed.success) throw toError(parsed.error.issues.flatMap(toProblems));
  return { config: parsed.data, keptSecrets: yaml.unset, toError };
}

const MAX_PROBLEMS = 20;

function formatError(
  file: string,
  problems: readonly { message: string; location: SourceLocation }[],
): AppError {
  const ordered = [...problems].sort((one, other) => one.location.line - other.location.line);
  const lines = ordered
    .slice(0, MAX_PROBLEMS)
    .map(({ message, location }) => `${file}:${location.line}:${location.column}: ${message}`);
  if (ordered.length > lines.length) lines.push(`(and ${ordered.length - lines.length} more)`);
  const first = ordered[0]?.location;
  return new AppError("validation_failed", lines.join("\n"), {
    details: { file, line: String(first?.line ?? 1), column: String(first?.column ?? 1) },
  });
}

/** Paths of the secrets that can be kept: those stored encrypted, not as a hash. */
const SECRETS = [
  ...REGISTRY_SECRETS.map((secret) => `gateways.*.registries.*.${secret}`),
  ...[...DETECTOR_SETTINGS.keys()]
    .flatMap(detectorSecretPaths)
    .map((secret) => `detectors.*.${secret}`),
].map((path) => path.split("."));

const isSecret = (path: YamlPath): boolean =>
  SECRETS.some(
    (secret) =>
      secret.length === path.length &&
      secret.every((part, index) => part === "*" || part === path[index]),
  );

/** Returns one problem per unknown member, so that each gets its own line number. */
function toProblems(issue: z.core.$ZodIssue): Problem[] {
  // A configuration file has no symbols as names.
  const path = issue.path as (string | number)[];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: describeIssues([{ ...issue, keys: [key] }]),
    }));
  }
  return [{ path, message: describeIssues([issue]).replace(/^body: /, "") }];
}
