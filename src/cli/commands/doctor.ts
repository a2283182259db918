/** portcullis doctor: checks an installation and gives advice. */
import type { Check } from "../../server/doctor/check.ts";
import { runChecks } from "../../server/doctor/doctor.ts";
import { type Command, FLAG_SETTINGS } from "../command.ts";

const MARK: Record<Check["state"], string> = { ok: "ok  ", warn: "WARN", fail: "FAIL" };

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Check settings, database, Redis, keys, clock and ports, and give advice",
  options: {},
  settings: FLAG_SETTINGS,
  async run({ settings, env }) {
    const checks = await runChecks({ settings, env });
    const lines = checks.flatMap(({ name, state, message, todo }) => [
      `${MARK[state]}  ${name}: ${message}`,
      ...(todo ? [`      → ${todo}`] : []),
    ]);
    const failed = checks.filter(({ state }) => state === "fail").length;
    const warned = checks.filter(({ state }) => state === "warn").length;
    lines.push("", `${checks.length} checks: ${failed} failed, ${warned} warned.`);
    return { text: lines.join("\n"), json: { ok: failed === 0, checks }, exit: failed ? 1 : 0 };
  },
};
