import { expect, test } from "bun:test";
import { withTimeout } from "./with-timeout.ts";

const late = () => new Error("late");

test("what comes in time is handed on, a value and an error alike", async () => {
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

test("each wait has an end of its own", async () => {
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

test("a wait that is over leaves nothing that keeps the program running", async () => {
  const program = `
    const { withTimeout } = await import(${JSON.stringify(`${import.meta.dir}/with-timeout.ts`)});
    await withTimeout(Bun.sleep(1), 600_000, () => new Error("late"));
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "ignore" });

  expect(await Promise.race([child.exited, Bun.sleep(20_000).then(() => "still running")])).toBe(0);
  child.kill();
}, 30_000);
