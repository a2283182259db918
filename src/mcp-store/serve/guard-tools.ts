/** Evaluates tool definitions, which a model reads as instructions, if the caller has a guard. */
import type { Verdict } from "../../contract/guard/evaluate.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { findProgram } from "../../snapshot/find-program.ts";
import type { Exemptions } from "../../snapshot/snapshot.ts";
import type { UpstreamTool } from "../upstream/tool-definition.ts";
import {
  describeBlock,
  ENVELOPE,
  evaluatePayload,
  type GuardedServer,
  policySubject,
} from "./guard-call.ts";
import type { McpSession } from "./session.ts";

export interface ToolVerdicts {
  /** Messages of blocked tools, by the name at the server. */
  blocked: ReadonlyMap<string, string>;
  /** Definitions that the policy rewrote, by name. */
  rewritten: ReadonlyMap<string, UpstreamTool["definition"]>;
}

export interface ToolGuard {
  /** Rejects when the policy could not be run and the collector fails closed. */
  evaluate: (
    session: McpSession,
    server: GuardedServer,
    tools: readonly UpstreamTool[],
  ) => Promise<ToolVerdicts>;
}

/** Limit for all cached verdicts: rewritten ones contain definitions. */
const MAX_CACHED_CHARACTERS = 64 * 1024 * 1024;
/** Weight of a verdict without a definition. */
const ENTRY_CHARACTERS = 500;
/** Limit for one evaluation, below the size limit of the guard. */
const MAX_CHUNK_CHARACTERS = 128 * 1024;

const NO_VERDICTS: ToolVerdicts = { blocked: new Map(), rewritten: new Map() };

/** Keeps the verdict of each definition: it is evaluated when it first appears or changes, or the policy changes. */
export function createToolGuard(): ToolGuard {
  const cache = createLruCache<Promise<EvaluatedTools>>(MAX_CACHED_CHARACTERS);
  const digestExemptions = createExemptionDigest();

  /** Evaluates the tools together, and keeps the verdict of each. */
  function evaluateNew(
    session: McpSession,
    server: GuardedServer,
    tools: ReadonlyMap<string, UpstreamTool>,
  ): Promise<EvaluatedTools> {
    const evaluating = evaluateTools(session, server, [...tools.values()]);
    for (const [key, tool] of tools) {
      const verdict = evaluating.then((found) => selectVerdict(found, tool));
      cache.set(key, verdict, ENTRY_CHARACTERS);
      verdict.then(
        ({ complete, rewritten }) => {
          if (!complete) cache.delete(key);
          else if (rewritten.size > 0) cache.set(key, verdict, ENTRY_CHARACTERS + tool.size);
        },
        () => cache.delete(key),
      );
    }
    return evaluating;
  }

  return {
    async evaluate(session, server, tools) {
      const policy = policyFingerprint(session, digestExemptions);
      if (policy === undefined || tools.length === 0) return NO_VERDICTS;
      const context = Bun.SHA256.hash(JSON.stringify([policy, server.name]), "hex");
      const verdicts: Promise<EvaluatedTools>[] = [];
      const unknown = new Map<string, UpstreamTool>();
      for (const tool of tools) {
        const key = `${context} ${tool.hash}`;
        const known = cache.get(key);
        if (known) verdicts.push(known);
        else unknown.set(key, tool);
      }
      if (unknown.size > 0) verdicts.push(evaluateNew(session, server, unknown));
      const found = await Promise.all(verdicts);
      return {
        blocked: new Map(found.flatMap(({ blocked }) => [...blocked])),
        rewritten: new Map(found.flatMap(({ rewritten }) => [...rewritten])),
      };
    },
  };
}

function selectVerdict(
  { blocked, rewritten, complete }: EvaluatedTools,
  { definition: { name } }: UpstreamTool,
): EvaluatedTools {
  const select = <Value>(all: ReadonlyMap<string, Value>): Map<string, Value> => {
    const value = all.get(name);
    return value === undefined ? new Map() : new Map([[name, value]]);
  };
  return { blocked: select(blocked), rewritten: select(rewritten), complete };
}

/** Returns a key for everything a verdict depends on besides the tools; undefined when no policy would run. */
function policyFingerprint(
  { deps, caller }: McpSession,
  digestExemptions: ReturnType<typeof createExemptionDigest>,
): string | undefined {
  const { guard } = caller;
  if (!guard?.mcp.output) return undefined;
  const { collectors, disabledDetectors, exemptions } = deps.snapshot();
  const collector = collectors.get(guard.collector_id);
  // The evaluation rejects a missing collector, so that no tool passes.
  if (!collector) return guard.collector_id;
  const program = findProgram(collector, policySubject(caller), deps.now);
  if (!program || program.gates.length + program.rules.output.length === 0) return undefined;
  const { id, version, mode } = program;
  const exempt = digestExemptions(exemptions.get(id), deps.now());
  const { id: collector_id, type, fail_mode } = collector;
  const settings = [collector_id, type, fail_mode, mode];
  const { gates, output_rules } = program.document;
  const isConditional = [...gates, ...output_rules].some(({ when }) => when !== null);
  const subject = isConditional ? [caller.kind, policySubject(caller)] : [];
  return JSON.stringify([settings, id, version, exempt, [...disabledDetectors], subject]);
}

/** Computes a digest once for each snapshot, and after an expiry: a policy may have 2,000 hashes. */
function createExemptionDigest(): (exemptions: Exemptions | undefined, now: Date) => string {
  const digests = new WeakMap<Exemptions, { digest: string; until: number }>();
  return (exemptions, now) => {
    if (!exemptions) return "";
    const at = now.getTime();
    const known = digests.get(exemptions);
    if (known && at < known.until) return known.digest;
    let until = Infinity;
    const valid: string[] = [];
    for (const [detector, hashes] of exemptions) {
      for (const [hash, expiry] of hashes) {
        if (expiry <= at) continue;
        until = Math.min(until, expiry);
        valid.push(`${detector} ${hash}`);
      }
    }
    const digest = Bun.SHA256.hash(valid.sort().join("\n"), "hex");
    digests.set(exemptions, { digest, until });
    return digest;
  };
}

interface EvaluatedTools extends ToolVerdicts {
  /** False when a detector failed and the collector fails open: the result is not cached. */
  complete: boolean;
}

async function evaluateTools(
  session: McpSession,
  server: GuardedServer,
  tools: readonly UpstreamTool[],
): Promise<EvaluatedTools> {
  const blocked = new Map<string, string>();
  const rewritten = new Map<string, UpstreamTool["definition"]>();
  let complete = true;

  async function evaluateChunk(chunk: readonly UpstreamTool[], tool?: string): Promise<void> {
    const definitions = chunk.map(({ definition }) => definition);
    const payload = { ...ENVELOPE, result: { tools: definitions } };
    const verdict = await evaluatePayload(
      session,
      { tool, server },
      { direction: "output", payload, parse: JSON.parse },
    );
    if (!verdict) return;
    complete &&= verdict.detectors.failed.length === 0;
    if (verdict.status === "allow" || verdict.status === "report") return;
    if (verdict.status === "transform") {
      const shown = readRewrittenTools(verdict);
      for (const [at, { name }] of definitions.entries()) {
        const definition = shown[at];
        // A rewrite that lost the tool must not pass as the original.
        if (definition?.name === name) rewritten.set(name, definition);
        else blocked.set(name, describeBlock(verdict));
      }
    } else if (tool === undefined) {
      // Evaluated one by one, to find the tool and show its name in Activity.
      for (const one of chunk) await evaluateChunk([one], one.definition.name);
    } else blocked.set(tool, describeBlock(verdict));
  }

  for (const chunk of splitIntoChunks(tools)) await evaluateChunk(chunk);
  return { blocked, rewritten, complete };
}

/** The rewritten payload has the shape of the payload that was passed. */
const readRewrittenTools = ({ transformed_payload }: Verdict): UpstreamTool["definition"][] =>
  (transformed_payload as { result?: { tools?: UpstreamTool["definition"][] } } | null)?.result
    ?.tools ?? [];

function splitIntoChunks(tools: readonly UpstreamTool[]): UpstreamTool[][] {
  const chunks: UpstreamTool[][] = [];
  let room = 0;
  for (const tool of tools) {
    if (tool.size > room) {
      chunks.push([]);
      room = MAX_CHUNK_CHARACTERS;
    }
    chunks.at(-1)?.push(tool);
    room -= tool.size;
  }
  return chunks;
}
