import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { curlFile, shellQuote } from "./shell-quote.ts";

const HOSTILE = [
  "",
  "plain",
  "it's",
  "'; echo pwned; '",
  '"; echo pwned; "',
  "$(echo pwned)",
  "`echo pwned`",
  "$HOME",
  "!! !echo",
  "line\nbreak\n'; echo pwned\n",
  "back\\slash\\",
  "\\\\two\\\\\\three\\'; echo pwned; '\\'",
  "\\ ; echo pwned \\",
  "-rf",
  "%self",
  "=ls",
  "~ * ? [a] {b,c} # & | ; < > ( )",
  "\u00e9 \u{1f600}",
];

/** Returns the words of a command line, as split by a shell. */
function wordsOf(shell: string, command: string): string[] {
  const { stdout, stderr } = Bun.spawnSync([shell, "-c", `printf '%s\\0' ${command}`]);
  expect(stderr.toString()).toBe("");
  return stdout.toString().split("\0").slice(0, -1);
}

/** zsh and fish are read where they are installed. */
const SHELLS = ["sh", "bash", "zsh", "fish"].filter((shell) => Bun.which(shell));

test.each(SHELLS)("%s reads each quoted text as one word", (shell) => {
  expect(wordsOf(shell, HOSTILE.map(shellQuote).join(" "))).toEqual(HOSTILE);
});

test("quotes contain no backslash that fish would remove", () => {
  const words = /^(?:[\w.:/@+,-]+|(?:'(?:[^'\\]|\\(?!['\\]))*'|\\['\\])+)$/;
  for (const quoted of HOSTILE.map(shellQuote)) expect(quoted).toMatch(words);
});

test("an interactive bash with history expansion reads each quoted text as one word", () => {
  const lines = HOSTILE.map((text) => `printf '%s\\0' ${shellQuote(text)}`);
  const stdin = Buffer.from(`set -H -o history\n${lines.join("\n")}\n`);
  const { stdout } = Bun.spawnSync(["bash", "--norc", "-i"], { stdin, stderr: "ignore" });

  expect(stdout.toString().split("\0").slice(0, -1)).toEqual(HOSTILE);
});

test("control characters are escaped, so that a paste cannot end early", () => {
  const text = "a\u001b[201~\r'; echo pwned\t\u009b\\";
  const quoted = shellQuote(text);

  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must be escaped
  expect(quoted).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  expect(wordsOf("bash", quoted)).toEqual([text]);
  expect(wordsOf("sh", quoted)).toHaveLength(1);
});

test("curl sends one file, also if its name contains commas or quotes", async () => {
  const names = ["a,b.txt", "a;type=b.txt", 'a"b,\\.txt', " a .txt ", '"a".txt', "it's.txt"];
  const cwd = mkdtempSync(join(tmpdir(), "portcullis-curl-"));
  for (const name of names) await Bun.write(join(cwd, name), name);
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const files = (await request.formData()).getAll("file");
      return Response.json(await Promise.all(files.map((file) => new Response(file).text())));
    },
  });

  for (const name of names) {
    const command = `curl --silent --noproxy '*' ${server.url} ${curlFile("file", name)}`;
    const { stdout } = Bun.spawn(["sh", "-c", command], { cwd });
    expect(await new Response(stdout).json()).toEqual([name]);
  }
  rmSync(cwd, { recursive: true });
});
