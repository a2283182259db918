/**
 * Finds text that a client's own software puts into messages of the user, between tags, and its own notices in results of
 * its tools. Only requests of that client may have them: otherwise a person who types the tag into a chat would evade the
 * rules for users.
 */
import { createSegment, type Segment } from "../segment.ts";
import type { TextSpan } from "../views/source-map.ts";

interface Client {
  name: string;
  user_agent?: RegExp;
  /** Beginning of a system prompt. */
  prompt: RegExp;
  tags: readonly string[];
  /** Sentences that are always the same. */
  notices?: readonly string[];
}

/** Read in requests of these clients. */
const CLIENTS: readonly Client[] = [
  {
    name: "Claude Code",
    user_agent: /^claude-cli\//,
    prompt: /^You are (?:Claude Code, Anthropic's|a Claude agent, built on Anthropic's)/,
    tags: ["system-reminder", "command-name", "command-message"],
    notices: [
      "(file state is current in your context — no need to Read it back)",
      "File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current — refer to that instead of re-reading.",
      "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.",
      "REMINDER: You MUST include the sources above in your response to the user using markdown hyperlinks.",
    ],
  },
  {
    name: "Codex",
    user_agent: /^codex[_-]/,
    prompt: /^You are (?:Codex|a coding agent running in the Codex CLI)/,
    tags: ["environment_context", "user_instructions", "INSTRUCTIONS"],
    notices: ["Success. Updated the following files:"],
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
    notices: ["Success. Updated the following files:"],
  },
  {
    name: "aider",
    prompt: /^Act as an expert (?:software developer|code analyst|architect engineer)/,
    tags: [],
    notices: [
      'I\'ve written your instructions in comments in the code and marked them with "ai"',
      "Find them in the code files I've shared with you, and follow their instructions.",
      'After completing those instructions, also be sure to remove all the "AI" comments from the code too.',
    ],
  },
];

/** A client may put an identifier of the request before its prompt. */
const MAX_PROMPTS = 4;

/** Begins a file that the user mentions: Claude Code puts its content into a message of the user. */
const TOOL_RESULT = /^<system-reminder>\s*Result of calling the /;

/** Returns the parts of the texts that have several authors, by text; empty for other clients. */
export function splitByAuthor(
  segments: readonly Segment[],
  user_agent: string | null,
): ReadonlyMap<Segment, readonly Segment[]> {
  const parts = new Map<Segment, readonly Segment[]>();
  const prompts = segments.filter(({ source }) => source === "system").slice(0, MAX_PROMPTS);
  const client = CLIENTS.find(
    (each) =>
      each.user_agent?.test(user_agent ?? "") || prompts.some(({ text }) => each.prompt.test(text)),
  );
  if (!client) return parts;
  const { tags, notices = [] } = client;
  for (const segment of segments) {
    const { source, text } = segment;
    if (segment.isFile || segment.isNumber || segment.page) continue;
    if (source !== "user" && source !== "tool_result") continue;
    const wrapped = source === "user" ? findWrapped(text, tags) : [];
    const own = [...wrapped, ...notices.flatMap((notice) => findAll(text, notice))];
    if (own.length > 0) parts.set(segment, splitAt(segment, wrapped, own));
  }
  return parts;
}

/** Returns the texts between tags, with the tags. One may contain another. */
const findWrapped = (text: string, tags: readonly string[]): TextSpan[] =>
  tags.flatMap((tag) => findAll(text, `<${tag}>`, `</${tag}>`));

/** Returns the texts that begin with `open` and end with `close`. */
function findAll(text: string, open: string, close = ""): TextSpan[] {
  const found: TextSpan[] = [];
  for (let from = 0; ; ) {
    const start = text.indexOf(open, from);
    const last = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (last < 0) return found;
    from = last + close.length;
    found.push({ start, end: from });
  }
}

/**
 * Returns the text of the author, in which the client's own text is blank, and each wrapped text. Blank, because an
 * instruction must not be parted by a tag or notice between its words.
 */
function splitAt(
  whole: Segment,
  wrapped: readonly TextSpan[],
  own: readonly TextSpan[],
): Segment[] {
  const { pointer, role, turn, source } = whole;
  const add = (text: string, from: Segment["source"], start: number) =>
    createSegment(text, from, { pointer, role, turn, part: { whole, start } });
  let text = "";
  for (const { start, end } of own.toSorted((one, other) => one.start - other.start)) {
    if (end <= text.length) continue;
    text += whole.text.slice(text.length, start);
    text += " ".repeat(end - text.length);
  }
  text += whole.text.slice(text.length);
  const clients = wrapped.map(({ start, end }) => {
    const inside = whole.text.slice(start, end);
    return add(inside, TOOL_RESULT.test(inside) ? "tool_result" : "system", start);
  });
  return /\S/.test(text) ? [add(text, source, 0), ...clients] : clients;
}
