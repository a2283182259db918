/**
 * Finds text that a client's own software puts into messages of the user, between tags. Only requests of that client may
 * have it: otherwise a person who types the tag into a chat would evade the rules for users.
 */
import { createSegment, type Segment } from "../segment.ts";
import type { TextSpan } from "../views/source-map.ts";

interface Client {
  name: string;
  user_agent: RegExp;
  /** Beginning of a system prompt. */
  prompt: RegExp;
  tags: readonly string[];
}

/** Read in requests of these clients. */
const CLIENTS: readonly Client[] = [
  {
    name: "Claude Code",
    user_agent: /^claude-cli\//,
    prompt: /^You are (?:Claude Code, Anthropic's|a Claude agent, built on Anthropic's)/,
    tags: ["system-reminder", "command-name", "command-message"],
  },
  {
    name: "Codex",
    user_agent: /^codex[_-]/,
    prompt: /^You are (?:Codex|a coding agent running in the Codex CLI)/,
    tags: ["environment_context", "user_instructions", "INSTRUCTIONS"],
  },
  {
    name: "Gemini CLI",
    user_agent: /^GeminiCLI/,
    prompt: /^You are (?:a non-interactive|an interactive|Gemini CLI, an interactive) CLI agent/,
    tags: ["session_context"],
  },
  {
    name: "OpenCode",
    user_agent: /^opencode\//,
    prompt: /^You are OpenCode\b/i,
    tags: ["system-reminder"],
  },
];

/** A client may put an identifier of the request before its prompt. */
const MAX_PROMPTS = 4;

/** Returns the parts of the messages that contain wrapped text, by message; empty for other clients. */
export function splitByAuthor(
  segments: readonly Segment[],
  user_agent: string | null,
): ReadonlyMap<Segment, readonly Segment[]> {
  const parts = new Map<Segment, readonly Segment[]>();
  const prompts = segments.filter(({ source }) => source === "system").slice(0, MAX_PROMPTS);
  const client = CLIENTS.find(
    (each) =>
      each.user_agent.test(user_agent ?? "") || prompts.some(({ text }) => each.prompt.test(text)),
  );
  if (!client) return parts;
  for (const segment of segments) {
    if (segment.source !== "user" || segment.isFile || segment.page) continue;
    const wrapped = findWrapped(segment.text, client.tags);
    if (wrapped.length > 0) parts.set(segment, splitAt(segment, wrapped));
  }
  return parts;
}

/** Returns the texts between tags, with the tags, in order. */
function findWrapped(text: string, tags: readonly string[]): TextSpan[] {
  const found: TextSpan[] = [];
  for (const tag of tags) {
    const close = `</${tag}>`;
    for (let from = 0; ; ) {
      const start = text.indexOf(`<${tag}>`, from);
      const end = start < 0 ? -1 : text.indexOf(close, start);
      if (end < 0) break;
      from = end + close.length;
      found.push({ start, end: from });
    }
  }
  return found.sort((one, other) => one.start - other.start);
}

function splitAt(whole: Segment, wrapped: readonly TextSpan[]): Segment[] {
  const parts: Segment[] = [];
  const add = (source: Segment["source"], start: number, end: number) => {
    const text = whole.text.slice(start, end);
    const { pointer, role, turn } = whole;
    const location = { pointer, role, turn, part: { whole, start } };
    if (/\S/.test(text)) parts.push(createSegment(text, source, location));
  };
  let from = 0;
  for (const { start, end } of wrapped) {
    // Wrapped text may contain the tags of another wrapper.
    if (start < from) continue;
    add("user", from, start);
    add("system", start, end);
    from = end;
  }
  add("user", from, whole.text.length);
  return parts;
}
