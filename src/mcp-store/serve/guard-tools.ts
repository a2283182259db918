/** Evaluates the tools that a server offers, where the gateway has a guard: a model reads them as instructions. */
import type { Verdict } from "../../contract/evaluate.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { findProgram } from "../../snapshot/find-program.ts";
import type { Tool } from "../upstream/tool-definition.ts";
import { blockedText, ENVELOPE, guardOf, judge, subjectOf } from "./guard-call.ts";
import type { Session } from "./session.ts";

export interface ToolVerdicts {
  /** Why a tool must not be offered, by its name at the server. */
  blocked: ReadonlyMap<string, string>;
  /** Definitions that the policy rewrote, by name. */
  rewritten: ReadonlyMap<string, Tool["definition"]>;
}

export interface ToolGuard {
  /** Rejects when the policy could not be run and the collector fails closed. */
  evaluate: (session: Session, server: string, tools: readonly Tool[]) => Promise<ToolVerdicts>;
}

/** Of all cached verdicts: those that rewrite hold definitions, and a server may list its tools in any order. */
const MAX_CACHED_CHARACTERS = 64 * 1024 * 1024;
/** Of a verdict without definitions. */
const ENTRY_CHARACTERS = 1000;
/** Characters of one evaluation: the texts in it stay below the guard's limit. */
const MAX_CHUNK = 128 * 1024;

const PASSED: ToolVerdicts = { blocked: new Map(), rewritten: new Map() };

/** Verdicts are cached for each caller, server, policy version and list. */
export function createToolGuard(): ToolGuard {
  const cache = createLruCache<Promise<ToolVerdicts>>(MAX_CACHED_CHARACTERS);
  return {
    async evaluate(session, server, tools) {
      const policy = policyInForce(session);
      if (policy === undefined || tools.length === 0) return PASSED;
      const about = [session.caller.kind, subjectOf(session.caller), policy, server];
      const hashes = tools.map(({ hash }) => hash);
      const key = Bun.SHA256.hash(JSON.stringify([about, hashes]), "hex");
      const cached = cache.get(key);
      if (cached) return await cached;
      const evaluating = evaluateTools(session, server, tools);
      cache.set(key, evaluating, ENTRY_CHARACTERS);
      try {
        const { complete, ...verdicts } = await evaluating;
        if (!complete) cache.delete(key);
        else cache.set(key, evaluating, ENTRY_CHARACTERS + sizeOf(verdicts, tools));
        return verdicts;
      } catch (thrown) {
        cache.delete(key);
        throw thrown;
      }
    },
  };
}

/** Returns the characters of the definitions that were rewritten, as they were before. */
const sizeOf = ({ rewritten }: ToolVerdicts, tools: readonly Tool[]): number =>
  tools.reduce((sum, { definition, size }) => sum + (rewritten.has(definition.name) ? size : 0), 0);

/** Identifies everything that a verdict depends on besides the tools; undefined: nothing would run. */
function policyInForce({ deps, caller }: Session): string | undefined {
  const { collectors, disabledDetectors } = deps.snapshot();
  const collector_id = guardOf(deps, caller.gateway_id);
  if (!collector_id) return undefined;
  const collector = collectors.get(collector_id);
  // The evaluation rejects: a guard that is missing must not let tools pass.
  if (!collector) return collector_id;
  const program = findProgram(collector, subjectOf(caller))?.();
  if (!program || program.gates.length + program.rules.output.length === 0) return undefined;
  const { id, version } = program;
  return JSON.stringify([collector.id, collector.fail_mode, id, version, [...disabledDetectors]]);
}

interface Evaluated extends ToolVerdicts {
  /** False when a detector failed and the collector fails open: the next list tries again. */
  complete: boolean;
}

async function evaluateTools(
  session: Session,
  server: string,
  tools: readonly Tool[],
): Promise<Evaluated> {
  const blocked = new Map<string, string>();
  const rewritten = new Map<string, Tool["definition"]>();
  let complete = true;

  async function settle(chunk: readonly Tool[], tool?: string): Promise<void> {
    const definitions = chunk.map(({ definition }) => definition);
    const payload = { ...ENVELOPE, result: { tools: definitions } };
    const verdict = await judge(session, { tool, server }, { direction: "output", payload });
    if (!verdict) return;
    complete &&= verdict.detectors.failed.length === 0;
    if (verdict.status === "allow" || verdict.status === "report") return;
    if (verdict.status === "transform") {
      const shown = rewrittenIn(verdict);
      for (const [at, { name }] of definitions.entries()) {
        const definition = shown[at];
        // A rewrite that lost the tool must not pass as the original.
        if (definition?.name === name) rewritten.set(name, definition);
        else blocked.set(name, blockedText(verdict));
      }
    } else if (tool === undefined) {
      // Which of them is it? Evaluated one by one, so that Activity names the tool.
      for (const one of chunk) await settle([one], one.definition.name);
    } else blocked.set(tool, blockedText(verdict));
  }

  for (const chunk of chunksOf(tools)) await settle(chunk);
  return { blocked, rewritten, complete };
}

/** The payload was ours, so the rewritten one has its shape. */
const rewrittenIn = ({ transformed_payload }: Verdict): Tool["definition"][] =>
  (transformed_payload as { result?: { tools?: Tool["definition"][] } } | null)?.result?.tools ??
  [];

function chunksOf(tools: readonly Tool[]): Tool[][] {
  const chunks: Tool[][] = [];
  let room = 0;
  for (const tool of tools) {
    if (tool.size > room) {
      chunks.push([]);
      room = MAX_CHUNK;
    }
    chunks.at(-1)?.push(tool);
    room -= tool.size;
  }
  return chunks;
}
