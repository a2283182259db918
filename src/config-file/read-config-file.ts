/** Reads a configuration file; whatever is wrong with it is told with file, line, column and member. */
import type { z } from "zod";
import { ConfigFile } from "../contract/config-file.ts";
import { describeIssues, formatPath } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import { REGISTRY_SECRETS } from "../contract/registries.ts";
import { readYaml, type SourceLocation, type YamlPath } from "../lib/text/read-yaml.ts";
import { checkedSettings, detectorSecretPaths, FILE_SETTINGS } from "./detector-settings.ts";

export interface Problem {
  path: YamlPath;
  message: string;
}

export interface ConfigSource {
  config: ConfigFile;
  /** Secrets whose variable is not set: the stored ones are to be kept. */
  kept: readonly { name: string; path: YamlPath }[];
  /** An error that says where in the file the trouble is. */
  refusal: (problems: readonly Problem[]) => AppError;
}

export interface ReadOptions {
  /** Its name, for messages. */
  file: string;
  env: Readonly<Record<string, string | undefined>>;
  keepSecrets: boolean;
}

export function readConfigFile(text: string, options: ReadOptions): ConfigSource {
  const { file, env, keepSecrets } = options;
  const yaml = readYaml(text, env);
  if (yaml.problems.length) throw refusalOf(file, yaml.problems);
  const refusal: ConfigSource["refusal"] = (problems) =>
    refusalOf(
      file,
      problems.map(({ path, message }) => ({ message, location: yaml.locate(path) })),
    );

  const mayKeep = ({ path }: { path: YamlPath }) => keepSecrets && isSecret(path);
  const missing = yaml.unset.filter((variable) => !mayKeep(variable));
  if (missing.length) {
    throw refusal(
      missing.map(({ name, path }) => ({
        path,
        message: `${formatPath(path)}: the variable ${name} is not set`,
      })),
    );
  }
  const parsed = ConfigFile.safeParse(yaml.value, { reportInput: false });
  if (!parsed.success) throw refusal(parsed.error.issues.flatMap(problemsOf));
  const issues: z.core.$ZodIssue[] = [];
  const detectors = checkedSettings(parsed.data.detectors, (issue) => issues.push(issue));
  if (issues.length) throw refusal(issues.flatMap(problemsOf));
  return { config: { ...parsed.data, detectors }, kept: yaml.unset, refusal };
}

const MAX_PROBLEMS = 20;

function refusalOf(
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

/** Those that are stored and can be kept: of registries and detectors. */
const SECRETS = [
  ...REGISTRY_SECRETS.map((secret) => `gateways.*.registries.*.${secret}`),
  ...[...FILE_SETTINGS.keys()]
    .flatMap(detectorSecretPaths)
    .map((secret) => `detectors.*.${secret}`),
].map((path) => path.split("."));

const isSecret = (path: YamlPath): boolean =>
  SECRETS.some(
    (secret) =>
      secret.length === path.length &&
      secret.every((part, index) => part === "*" || part === path[index]),
  );

/** One problem for each unknown member, so that each is shown at its own line. */
function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  // A configuration file has no symbols for names.
  const path = issue.path as (string | number)[];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: describeIssues([{ ...issue, keys: [key] }]),
    }));
  }
  return [{ path, message: describeIssues([issue]).replace(/^body: /, "") }];
}
