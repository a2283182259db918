import { expect, test } from "bun:test";
import { createLineWriter } from "./log.ts";

test("lines are buffered while their reader is behind, up to a limit; dropped lines are counted", () => {
  const written: string[] = [];
  let ready = false;
  const lines = createLineWriter((text) => {
    written.push(text);
    return ready;
  });
  lines.write("first\n");
  lines.flush();
  for (let number = 0; number < 10_003; number++) lines.write(`${number}\n`);
  lines.flush();

  expect([written, lines.isBehind()]).toEqual([["first\n"], true]);

  ready = true;
  lines.resume();

  const [, then = ""] = written;
  expect(then.split("\n").slice(0, 2)).toEqual(["0", "1"]);
  expect(then).toEndWith('9999\n{"level":"error","event":"log_lines_dropped","count":3}\n');
  expect(lines.isBehind()).toBe(false);
});
