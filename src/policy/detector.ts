/** What a detector is: it finds, and says where. What happens to a match is the rule's choice. */
import type { z } from "zod";
import type { Direction, Protocol, Uninspected } from "../contract/evaluate.ts";
import type { Segment, SegmentSource } from "./segment.ts";

export interface Match {
  /** What was found, in one word: `email`, `sql`, `aws_access_key`. */
  label: string;
  /** The signal of the finding: `pii`, `secret`, `injection`, `code_injection`, `keyreg`, … */
  type: string;
  /** 0 to 1. */
  confidence: number;
  /** UTF-16 offsets in the segment's own text, never in a normalized one. Absent: it is about no text. */
  at?: { segment: Segment; start: number; end: number };
  /** What Transform writes in its place. A pseudonym is made by the session, and can be undone. */
  mask?: { text: string } | { pseudonym: string };
  /** For the finding's evidence: limits, thresholds, names. Never what was matched. */
  detail?: Readonly<Record<string, string | number | boolean>>;
}

/** A call that an assistant makes or an MCP client sends. */
export interface ToolCall {
  /** Without the `mcp__server__` in front. */
  name: string;
  pointer: string;
  /** undefined: they are not valid JSON. NOT_KEPT: nobody knows any more. */
  arguments: unknown;
}

/** Of the arguments of a recorded call only texts are kept. */
export const NOT_RECORDED = Symbol("not kept");

export interface ToolDefinition {
  name: string;
  pointer: string;
  /** JSON Schema of the arguments, as the payload gives it. */
  schema: unknown;
}

/** What a detector may know beside the texts. */
export interface InspectionContext {
  direction: Direction;
  protocol: Protocol;
  calls: readonly ToolCall[];
  definitions: readonly ToolDefinition[];
  /** In the order of the payload. `problem` says why one could not be read, or not to its end. */
  attachments: readonly { pointer: string; filename: string | null; problem: string | null }[];
  /** The parts of the payload that are not among the texts. */
  uninspected: readonly Uninspected[];
  /** Bytes of the payload as it was sent. */
  payload_bytes: number;
  services: DetectorServices;
}

/** What only somebody else can answer. policy/ does no I/O: the evaluation hands these in. */
export interface DetectorServices {
  /** Posts JSON to an address of an administrator's choice, and gives back what it answered. */
  post: (asked: {
    url: string;
    headers: Readonly<Record<string, string>>;
    body: unknown;
    timeout_ms: number;
    allow_private: boolean;
  }) => Promise<unknown>;
  /** Asks a model of a registry; gives back the text of its answer. */
  ask: (asked: {
    registry_id: string;
    model: string;
    system: string;
    user: string;
    timeout_ms: number;
  }) => Promise<string>;
  /** The texts behind pseudonyms of this session; those it does not know are missing. */
  restore: (pseudonyms: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Most detectors answer at once. `texts` are the segments that the detector reads. */
export type Inspector = (
  texts: readonly Segment[],
  surroundings: InspectionContext,
) => readonly Match[] | Promise<readonly Match[]>;

/** Looks at each text by itself. Most payloads have one that is new, and most texts nothing to be found. */
export const inspectEach =
  (inspect: (text: Segment) => readonly Match[]): Inspector =>
  (texts) => {
    const [only] = texts;
    return only && texts.length === 1 ? inspect(only) : texts.flatMap(inspect);
  };

export interface Detector {
  /** The slug in the catalog and in findings. */
  kind: string;
  title: string;
  summary: string;
  /** An empty list: it does not work in that direction. */
  reads: Readonly<Record<Direction, readonly SegmentSource[]>>;
  /** Whether its matches carry a mask, so that a rule may transform. */
  masks: boolean;
  /** Whether it looks at numbers too, where a tool takes them or gives them back. */
  numbers: boolean;
  /** Whether it waits for somebody else: those run together, after all others. */
  remote: boolean;
  settings: z.ZodType;
  /** Paths of secrets in the settings, in the notation of lib/secret-paths.ts. */
  secrets: readonly string[];
  /** Everything that depends on the settings alone happens here, once for each saved version. */
  prepare: (settings: unknown) => Inspector;
}

/** A detector as its file writes it: its `prepare` gets what the schema of its settings gives. */
interface DetectorDefinition<Settings extends z.ZodType>
  extends Omit<Detector, DefaultedMember | "prepare">,
    Partial<Pick<Detector, DefaultedMember>> {
  settings: Settings;
  prepare: (settings: z.output<Settings>) => Inspector;
}

type DefaultedMember = "secrets" | "remote" | "numbers";

export function defineDetector<Settings extends z.ZodType>(
  described: DetectorDefinition<Settings>,
): Detector {
  const { settings, prepare } = described;
  return {
    secrets: [],
    remote: false,
    numbers: false,
    ...described,
    prepare: (stored) => prepare(settings.parse(stored)),
  };
}
