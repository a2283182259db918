/** Checks a verdict as strictly as the strictest clients do. */
import { expect } from "bun:test";
import { STATUSES } from "../../src/contract/guard/actions.ts";

export type Json = Record<string, unknown>;

const SEVERITY: readonly string[] = [...STATUSES].reverse();

export function checkVerdict(verdict: Json, sent: Json): void {
  const status = String(verdict.status);
  expect(SEVERITY).toContain(status);
  expect(String(verdict.trace_id)).toMatch(/^[\w.:-]{1,256}$/);
  expect(String(verdict.request_id)).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  const { transformed_payload, findings } = verdict as {
    transformed_payload: unknown;
    findings: Json[];
  };
  if (status === "transform") expect(isObject(transformed_payload)).toBe(true);
  if (status === "allow" || status === "report") expect(transformed_payload).toBeNull();
  expect(Array.isArray(findings)).toBe(true);
  for (const finding of findings) checkFinding(finding, status);
  if (isObject(transformed_payload)) checkShape(sent.payload as Json, transformed_payload);
}

/** Breaker 3 and 4: objects all of them, no action above the status, a confidence that is a number. */
function checkFinding(finding: Json, status: string): void {
  for (const name of ["source", "signal", "outcome", "evidence"]) {
    expect(isObject(finding[name])).toBe(true);
  }
  const { source, signal, outcome } = finding as Record<string, Json>;
  expect(["gate", "detector"]).toContain(String(source?.kind));
  expect(source?.gate_name ?? source?.detector_name).toBeTruthy();
  expect(signal?.type).toBeTruthy();
  const confidence = Number(signal?.confidence);
  expect(confidence >= 0 && confidence <= 1).toBe(true);
  const action = String(outcome?.action);
  expect(["block", "ask", "transform", "withhold", "report"]).toContain(action);
  expect(SEVERITY.indexOf(action)).toBeLessThanOrEqual(SEVERITY.indexOf(status));
}

/** Breaker 6: the copy has the shape of what was sent; only texts differ, and no line is won or lost. */
function checkShape(sent: unknown, copy: unknown, at = ""): void {
  if (typeof sent === "string" && typeof copy === "string") {
    // A notice takes the place of a paragraph.
    if (copy.includes("[withheld by policy: ")) return;
    expect(copy.split("\n").length).toBe(sent.split("\n").length);
    return;
  }
  if (Array.isArray(sent)) {
    expect(Array.isArray(copy) && copy.length).toBe(sent.length);
    sent.forEach((item, index) => {
      checkShape(item, (copy as unknown[])[index], `${at}/${index}`);
    });
    return;
  }
  if (!isObject(sent)) {
    expect(copy).toEqual(sent);
    return;
  }
  const kept = Object.keys(sent).filter(
    (name) =>
      !(at === "" && name === "attachments") && !(name === "content" && sent[name] === null),
  );
  expect(Object.keys(copy as Json)).toEqual(kept);
  for (const name of kept) {
    // No strict client maps these back; their numbers spell what was masked.
    if (/^(?:logprobs|token_ids)$/.test(name) && typeof sent[name] === "object") continue;
    checkShape(sent[name], (copy as Json)[name], `${at}/${name}`);
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
