import { expect, test } from "bun:test";
import { startProgram } from "../kit/program.ts";

test.each(["gone", "still"] as const)(
  "a program continues and exits normally when the reader of its log is %s",
  async (logReader) => {
    await using program = await startProgram({ logReader, settings: { LOG_LEVEL: "debug" } });

    // More than a pipe holds.
    for (let number = 0; number < 500; number++) await program.admin("GET", "/v1/gateways");
    const made = await program.admin("POST", "/v1/gateways", { name: "g" });
    await program.stop();

    expect(made.status).toBe(201);
    expect(program.child.exitCode).toBe(0);
  },
);
