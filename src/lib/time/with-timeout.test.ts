import { expect, test } from "bun:test";
import { withTimeout } from "./with-timeout.ts";

const late = () => new Error("late");

test("a promise that settles in time passes on its value or error", async () => {
  expect(
    await withTimeout(
      Bun.sleep(5).then(() => 1),
      5_000,
      late,
    ),
  ).toBe(1);
  await expect(withTimeout(Promise.reject(new Error("its own")), 5_000, late)).rejects.toThrow(
    "its own",
  );
});

test("each wait has its own timeout", async () => {
  const never = new Promise<never>(() => {});
  const ends: string[] = [];
  const wait = (name: string, ms: number) =>
    withTimeout(never, ms, late).catch(
      ({ message }: Error) => void ends.push(`${name} ${message}`),
    );

  const long = wait("long", 300);
  await wait("short", 10);
  expect(ends).toEqual(["short late"]);
  await long;
  expect(ends).toEqual(["short late", "long late"]);
});

test("a settled wait does not keep the process running", async () => {
  const program = `
    const { withTimeout } = await import(${JSON.stringify(`${import.meta.dir}/with-timeout.ts`)});
    await withTimeout(Bun.sleep(1), 600_000, () => new Error("late"));
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "ignore" });

  expect(await Promise.race([child.exited, Bun.sleep(20_000).then(() => "still running")])).toBe(0);
  child.kill();
}, 30_000);
