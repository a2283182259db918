import { expect, test } from "bun:test";
import { startProgram } from "../kit/program.ts";

test("7 a program whose log nobody reads any more goes on, and ends as it should", async () => {
  await using program = await startProgram({ unread: true });

  const made = await program.admin("POST", "/v1/gateways", { name: "g" });
  await program.stop();

  expect(made.status).toBe(201);
  expect(program.child.exitCode).toBe(0);
});
