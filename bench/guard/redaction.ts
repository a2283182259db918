/** Masking personal data: ours beside the fastest redaction library we found on npm. */
import { Redactor } from "@redactpii/node";
import type { InspectionContext, Match } from "../../src/policy/detector.ts";
import { dataLossPrevention } from "../../src/policy/detectors/data-loss-prevention.ts";
import { applyMasks } from "../../src/policy/masking/apply-masks.ts";
import { createSegment } from "../../src/policy/segment.ts";
import { proseOf } from "./prose.ts";

/** One of each, in a sentence as people write it. All of them are made up, with valid check digits. */
const VALUES = [
  ["My card is 4111 1111 1111 1111.", "4111 1111 1111 1111"],
  ["Write to ana.lopez@example.com today.", "ana.lopez@example.com"],
  ["Call me at (212) 555-0123 after six.", "(212) 555-0123"],
  ["Ring +34 612 345 678 tomorrow.", "+34 612 345 678"],
  ["Her SSN is 536-90-4399.", "536-90-4399"],
  ["Pay to DE89 3704 0044 0532 0130 00 please.", "DE89 3704 0044 0532 0130 00"],
  ["El DNI es 12345678Z.", "12345678Z"],
  ["O CPF dele é 529.982.247-25.", "529.982.247-25"],
  ["My passport number is X1234567.", "X1234567"],
  [
    "Send it to 0x52908400098527886E0F7030069857D2E4169EE7.",
    "0x52908400098527886E0F7030069857D2E4169EE7",
  ],
] as const;

const ROUNDS = 4000;

export async function redaction(): Promise<void> {
  console.log("\nMasking personal data, in this process\n");
  console.log(
    `| | CPU µs per KB of ordinary text | of ${VALUES.length} values masked |\n|---|---|---|`,
  );
  const inspect = dataLossPrevention.prepare(dataLossPrevention.settings.parse({}));
  // It looks at texts alone.
  const context = {} as InspectionContext;
  const ours = (text: string): string => {
    const found = inspect([createSegment(text, "user", { pointer: "/input" })], context);
    return applyMasks(found as readonly Match[], (name) => name)[0]?.text ?? text;
  };
  const redactor = new Redactor();
  for (const [name, mask] of [
    ["Portcullis, data_loss_prevention", ours],
    ["@redactpii/node", (text: string) => redactor.redact(text)],
  ] as const) {
    const masked = VALUES.filter(([text, value]) => !mask(text).includes(value)).length;
    console.log(`| ${name} | ${cost(mask).toFixed(0)} | ${masked} |`);
  }
}

function cost(mask: (text: string) => string): number {
  const texts = Array.from({ length: 200 }, (_, index) => proseOf(1000, index));
  const round = () => {
    for (let turn = 0; turn < ROUNDS; turn += 1) mask(texts[turn % texts.length] ?? "");
  };
  round();
  const began = process.cpuUsage();
  round();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / ROUNDS;
}
