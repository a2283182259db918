/** Reads YAML with the source location of each value, and replaces `${NAME}` by environment variables. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from "yaml";

export type YamlPath = readonly (string | number)[];

export interface SourceLocation {
  line: number;
  column: number;
}

export interface YamlDocument {
  /** undefined when there is a problem. */
  value: unknown;
  problems: { message: string; location: SourceLocation }[];
  /** Variables that are not set; they are replaced by an empty string. */
  unset: { name: string; path: YamlPath }[];
  /** Returns the location of a member or item; for a missing one, of its parent. */
  locate: (path: YamlPath) => SourceLocation;
}

/** Caps the expansion of aliases of aliases (the "billion laughs"). */
const MAX_VALUES = 200_000;
const MAX_DEPTH = 64;
const NO_ANCHOR = "no anchor has this name; quote text that starts with a special character";
const MAX_CHARACTERS = 16 * 1024 * 1024;

export function readYaml(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): YamlDocument {
  const lines = new LineCounter();
  const problems: YamlDocument["problems"] = [];
  const unset: YamlDocument["unset"] = [];
  const start = { line: 1, column: 1 };
  const locationAt = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  if (text.length > MAX_CHARACTERS) {
    const problem = { message: `must not be longer than ${MAX_CHARACTERS} bytes`, location: start };
    return { value: undefined, problems: [problem], unset, locate: () => start };
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: "core",
    uniqueKeys: true,
  });
  for (const { message, pos } of [...document.errors, ...document.warnings]) {
    problems.push({ message: rewordParserMessage(message), location: locationAt(pos[0]) });
  }

  let values = 0;
  const problemAt = (node: ParsedNode | null, message: string) => {
    problems.push({ message, location: node ? locationAt(node.range[0]) : start });
  };
  // Cached: resolving walks the whole document, and an alias may be used often.
  const resolved = new Map<ParsedNode, ParsedNode | null>();
  const target = (node: ParsedNode | null): ParsedNode | null => {
    if (!isAlias(node)) return node;
    const known = resolved.get(node);
    if (known !== undefined) return known;
    // Every node of a parsed document is a ParsedNode; the type of `resolve` is wider.
    const found = (node.resolve(document) as ParsedNode | undefined) ?? null;
    resolved.set(node, found);
    return found;
  };

  const read = (written: ParsedNode | null, path: YamlPath): unknown => {
    values += 1;
    if (values > MAX_VALUES || path.length > MAX_DEPTH) {
      const bound = `has more than ${MAX_VALUES} values or more than ${MAX_DEPTH} levels`;
      if (problems.length === 0) problemAt(written, bound);
      return undefined;
    }
    const node = target(written);
    if (isAlias(written) && !node) problemAt(written, NO_ANCHOR);
    if (isMap(node)) {
      const members = node.items.map((pair) => {
        const name = readKeyName(pair.key);
        if (name === undefined) problemAt(pair.key, "a key must be plain text");
        return [name ?? "", read(pair.value, [...path, name ?? ""])];
      });
      return Object.fromEntries(members);
    }
    if (isSeq(node)) return node.items.map((item, index) => read(item, [...path, index]));
    if (!isScalar(node)) return null;
    return typeof node.value === "string" ? fillVariables(node.value, node, path) : node.value;
  };

  const fillVariables = (value: string, node: ParsedNode, path: YamlPath): string =>
    value.replace(/\$\$\{|\$\{([^}]*)(\}?)/g, (whole, name: string | undefined, end) => {
      if (whole === "$${") return "${";
      if (name === undefined || !end || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        problemAt(
          node,
          "a dollar sign with a brace must enclose a variable name; double the sign for a literal one",
        );
        return "";
      }
      const found = env[name];
      if (found === undefined) unset.push({ name, path });
      return found ?? "";
    });

  const value = problems.length ? undefined : read(document.contents, []);
  return {
    value: problems.length ? undefined : value,
    problems,
    unset,
    locate(path) {
      let node = document.contents;
      let location = node ? locationAt(node.range[0]) : start;
      for (const part of path) {
        node = target(node);
        if (isMap(node)) {
          const pair = node.items.find(({ key }) => readKeyName(key) === part);
          if (!pair) return location;
          location = locationAt(pair.key.range[0]);
          node = pair.value;
        } else if (isSeq(node) && typeof part === "number") {
          node = node.items[part] ?? null;
          if (node) location = locationAt(node.range[0]);
        } else {
          return location;
        }
      }
      return location;
    },
  };
}

/** Removes the quoted source, which may be a password without quotes, and advice for programmers. */
const rewordParserMessage = (message: string): string =>
  message
    .replace(/: .*$/s, "; quote text that starts with a special character")
    .replace(/; please use .*$/s, "; a file contains one document");

function readKeyName(key: ParsedNode): string | undefined {
  if (!isScalar(key)) return undefined;
  return typeof key.value === "object" ? undefined : String(key.value);
}
