/** The guides' examples run: every sh block of a guide, in order, in one shell, against a new installation. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { OWNER_TOKEN } from "../kit/kit.ts";
import { startProgram } from "../kit/program.ts";

const guides = readdirSync("docs/guides").filter((file) => file.endsWith(".md"));

test.each(guides)(
  "docs/guides/%s: its examples work as printed",
  async (guide) => {
    const blocks = [
      ...readFileSync(join("docs/guides", guide), "utf8").matchAll(
        /^```(sh|ts|python)\n(.*?)^```$/gms,
      ),
    ].map(([, language = "", text = ""], index) => script(language, text, index));
    const folder = mkdtempSync(join(tmpdir(), "portcullis-guide-"));
    const dir = join(folder, "data");
    // What an example imports is installed, as its text says.
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    await using program = await startProgram({
      args: ["--json"],
      settings: { PORTCULLIS_DEMO: "true", PORTCULLIS_DATA_DIR: dir },
    });
    const { urls, first_run } = JSON.parse(program.printed().split("\n")[0] ?? "");

    const child = Bun.spawn(["sh", "-eu", "-c", blocks.join("\n")], {
      cwd: folder,
      env: {
        PATH: `${resolve("bin")}:${process.env.PATH}`,
        BASE: urls.admin,
        TOKEN: OWNER_TOKEN,
        KEY: first_run.demo.key,
        COLLECTOR_KEY: first_run.demo.collector.key,
        PORTCULLIS_DATA_DIR: dir,
      },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);

    expect({ code: await child.exited, trouble: err, said: out.slice(-500) }).toMatchObject({
      code: 0,
    });
    rmSync(folder, { recursive: true });
  },
  60_000,
);

const RUNS: Record<string, string> = { ts: "bun", python: "python3" };

/** As a reader would: shell lines are pasted, other examples saved to a file and run. */
function script(language: string, text: string, index: number): string {
  const program = RUNS[language];
  if (!program) return text;
  const file = `example-${index}.${language}`;
  return `cat > ${file} <<'END_OF_EXAMPLE'\n${text}END_OF_EXAMPLE\n${program} ${file}\n`;
}
