import { expect, test } from "bun:test";
import { shellQuote } from "./shell-quote.ts";

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
  "-rf",
  "~ * ? [a] {b,c} # & | ; < > ( )",
  "\u00e9 \u{1f600}",
];

/** Returns the words of a command line, as split by a shell. */
function wordsOf(shell: string, command: string): string[] {
  const { stdout, stderr } = Bun.spawnSync([shell, "-c", `printf '%s\\0' ${command}`]);
  expect(stderr.toString()).toBe("");
  return stdout.toString().split("\0").slice(0, -1);
}

test.each(["sh", "bash"])("%s reads each quoted text as one word", (shell) => {
  expect(wordsOf(shell, HOSTILE.map(shellQuote).join(" "))).toEqual(HOSTILE);
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
