import { expect, test } from "bun:test";
import {
  appendFileSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { findAbandonedJournals, openJournal } from "./journal.ts";

const folderOf = (stack: DisposableStack): string => {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-journal-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  return folder;
};

/** Returns the contents of the files of `path`. */
const linesAt = (path: string) =>
  readdirSync(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}-`))
    .flatMap((name) =>
      readFileSync(join(dirname(path), name), "utf8")
        .split("\n")
        .slice(1),
    );

test("appended lines are stored until they are cleared, in a file only its owner can read", () => {
  using stack = new DisposableStack();
  const folder = folderOf(stack);
  const journal = openJournal(join(folder, "a"));

  journal.append(['{"text":"é"}']);
  journal.append(["2"]);
  const [file = ""] = readdirSync(folder);
  const kept = linesAt(join(folder, "a"));
  journal.clear();
  const cleared = readdirSync(folder);
  journal.append(["3"]);

  expect(kept).toEqual(['{"text":"é"}', "2"]);
  expect(file).toStartWith("a-");
  expect(cleared).toEqual([]);
  expect(linesAt(join(folder, "a"))).toEqual(["3"]);
  const [again = ""] = readdirSync(folder);
  expect(statSync(join(folder, again)).mode & 0o777).toBe(0o600);
});

test("lines are stored with one write, however long they are", () => {
  using stack = new DisposableStack();
  const path = join(folderOf(stack), "a");
  const journal = openJournal(path);
  const long = "é".repeat(100_000);

  journal.append(["1", long, "2"]);
  journal.append(["3", "4"]);

  expect(linesAt(path)).toEqual(["1", long, "2", "3", "4"]);
});

test("a line beyond the size limit is rejected, and clearing frees space", () => {
  using stack = new DisposableStack();
  const path = join(folderOf(stack), "a");
  const journal = openJournal(path, 10);

  journal.append(["12345"]);
  expect(() => journal.append(["é678"])).toThrow("full: 10 bytes");
  journal.append(["678"]);
  const kept = linesAt(path);
  journal.clear();
  journal.append(["123456789"]);

  expect(kept).toEqual(["12345", "678"]);
  expect(linesAt(path)).toEqual(["123456789"]);
});

test("two processes have separate files, and each clears only its own", () => {
  using stack = new DisposableStack();
  const path = join(folderOf(stack), "a");
  const [one, other] = [openJournal(path), openJournal(path)];

  one.append(["1"]);
  other.append(["2"]);
  one.clear();

  expect(linesAt(path)).toEqual(["2"]);
});

test("a cleared file is empty, even if it cannot be removed", () => {
  using stack = new DisposableStack();
  const folder = folderOf(stack);
  const journal = openJournal(join(folder, "a"));
  journal.append(["1"]);
  const [file = ""] = readdirSync(folder);
  linkSync(join(folder, file), join(folder, "a-kept"));

  journal.clear();

  expect(readdirSync(folder)).toEqual(["a-kept"]);
  expect(linesAt(join(folder, "a"))).toEqual([]);
});

test("a truncated line does not damage the next", () => {
  using stack = new DisposableStack();
  const folder = folderOf(stack);
  const journal = openJournal(join(folder, "a"));

  journal.append(["1"]);
  const [file = ""] = readdirSync(folder);
  appendFileSync(join(folder, file), '\n{"cut":');
  journal.append(["2"]);

  expect(linesAt(join(folder, "a"))).toEqual(["1", '{"cut":', "2"]);
});

test("an abandoned journal can be removed, and only that file", async () => {
  using stack = new DisposableStack();
  const folder = folderOf(stack);
  openJournal(join(folder, "a")).append(["1"]);
  openJournal(join(folder, "b")).append(["2"]);
  symlinkSync("a-loop", join(folder, "a-loop"));

  const [left, ...others] = await findAbandonedJournals(join(folder, "a"));
  const lines = left?.lines();
  left?.remove();

  expect([lines, others]).toEqual([["1"], []]);
  expect(readdirSync(folder).filter((name) => name.startsWith("a-"))).toEqual(["a-loop"]);
  expect(linesAt(join(folder, "b"))).toEqual(["2"]);
});

test("a file that is being appended to is not abandoned", async () => {
  using stack = new DisposableStack();
  const path = join(folderOf(stack), "a");
  const journal = openJournal(path);
  journal.append(["1"]);
  const found = findAbandonedJournals(path);
  journal.append(["2"]);

  expect(await found).toEqual([]);
});
