/** Generates random payloads of every style, with random white space and escapes, and lists their texts. */
import type { Random } from "../kit/random.ts";

export type Tree = string | boolean | null | Raw | Tree[] | { [name: string]: Tree };
/** Literal that JavaScript cannot represent, such as a big integer. */
interface Raw {
  [RAW]: string;
}
const RAW = Symbol("raw");

export interface RandomPayload {
  payload: string;
  /** Expected copy of the payload: without attachments and null contents of messages. */
  copy: string;
  /** Tokens of texts that must be read; those of names and pictures must not. */
  seen: string[];
  unseen: string[];
  /** Source of each text in the payload, or in JSON inside one of its strings. */
  literals: Map<string, string>;
}

/** Unique token in each text. */
export const TOKEN = /[th]\d+\+/g;

export const STYLES = Object.keys(
  builders(
    {} as Random,
    () => "",
    () => "",
    () => "",
  ),
); // used only for its keys

export function randomPayload(random: Random, style: string): RandomPayload {
  const seen: string[] = [];
  const unseen: string[] = [];
  const literals = new Map<string, string>();
  const text = () => {
    seen.push(`t${seen.length}+`);
    const around = () => Array.from({ length: random.below(4) }, () => random.pick(ODD)).join("");
    return `${around()}${seen.at(-1)}${around()}`;
  };
  const name = () => {
    unseen.push(`h${unseen.length}+`);
    return unseen.at(-1) ?? "";
  };
  const json = (tree: Tree) => write(random, tree, literals);
  const build = builders(random, text, name, json)[style];
  if (!build) throw new Error(`Unknown payload style ${style}.`);
  const tree = { ...build(), ...(random.below(4) ? {} : { attachments: [{ data: name() }] }) };
  const payload = write(random, tree, literals);
  const kept = withoutDropped(tree);
  // White space is random: the copy is predictable byte for byte only if nothing is dropped.
  const same = JSON.stringify(kept) === JSON.stringify(tree);
  return { payload, copy: same ? payload : write(random, kept, literals), seen, unseen, literals };
}

const ODD = [
  "a",
  " ",
  "é",
  "日本",
  "😀",
  "\n",
  '"',
  "\\",
  "/",
  "\0",
  "\u2028",
  "{",
  "]",
  "\\u0041",
  "~1",
];
const BIG = ["0", "-0.0", "1.50", "12345678901234567890", "1e400", "-1E-7"];

type Text = () => string;
type Builder = () => Record<string, Tree>;

function builders(
  random: Random,
  text: Text,
  name: Text,
  json: (tree: Tree) => string,
): Record<string, Builder> {
  const { pick, below } = random;
  const some = (make: () => Tree): Tree[] => Array.from({ length: below(4) }, make);
  const number = (): Tree => ({ [RAW]: pick(BIG) }) as Raw;
  const anything = (depth: number): Tree => {
    if (depth === 0) return pick([text, text, number, () => null, () => true])();
    if (below(2)) return some(() => anything(below(depth)));
    const first = below(KEYS.length);
    const keys = [...KEYS.slice(first), ...KEYS.slice(0, first)].slice(0, below(4));
    return Object.fromEntries(keys.map((key) => [key, anything(below(depth))]));
  };
  const args = () => ({ query: text(), id: text(), more: anything(3), n: number() });
  const schema = (type = name) => ({
    type: "object",
    properties: { id: { type: type(), description: text() } },
  });
  const parts = () => some(() => ({ type: "text", text: text() }));
  const call = () => ({
    name: name(),
    arguments: pick([() => json(args()), () => `{"a": ${text()}`])(),
  });
  const chatMessages: (() => Tree)[] = [
    () => ({ role: "system", content: text() }),
    () => ({ name: name(), content: parts(), role: "user" }),
    () => ({
      content: null,
      role: "assistant",
      tool_calls: [{ id: name(), type: "function", function: call() }],
    }),
    () => ({ role: "assistant", content: null, function_call: call() }),
    () => ({ role: "assistant", reasoning_content: text(), content: text(), refusal: text() }),
    () => ({ role: "tool", tool_call_id: name(), content: text() }),
  ];
  const blocks: (() => Tree)[] = [
    () => ({ type: "text", text: text() }),
    () => ({ type: "thinking", thinking: text(), signature: name() }),
    () => ({ type: "tool_use", id: name(), name: name(), input: args() }),
    () => ({ type: "tool_result", tool_use_id: name(), content: pick([text, parts])() }),
    () => ({
      type: "image",
      source: { type: "base64", data: `iVBORw0KGgoAAAANSUhEUgAA${name()}${"A".repeat(100)}` },
    }),
  ];
  const googleParts: (() => Tree)[] = [
    () => ({ text: text() }),
    () => ({ thought: true, text: text() }),
    () => ({ functionCall: { name: name(), args: args() } }),
    () => ({ functionResponse: { name: name(), response: args() } }),
  ];
  const converseParts: (() => Tree)[] = [
    () => ({ text: text() }),
    () => ({ reasoningContent: { reasoningText: { text: text() } } }),
    () => ({ toolUse: { toolUseId: name(), name: name(), input: args() } }),
    () => ({ toolResult: { toolUseId: name(), content: [{ text: text() }, { json: args() }] } }),
  ];
  const items: (() => Tree)[] = [
    ...chatMessages.slice(0, 2),
    () => ({ type: "reasoning", id: name(), summary: [{ type: "summary_text", text: text() }] }),
    () => ({ type: "function_call", call_id: name(), ...call() }),
    () => ({ type: "function_call_output", call_id: name(), output: pick([text, parts])() }),
  ];
  const rpc = (member: string, value: Tree) => ({ jsonrpc: "2.0", id: number(), [member]: value });
  return {
    minimal: () => ({ input: text() }),
    jsonInput: () => ({ input: json(args()) }),
    chatRequest: () => ({
      model: name(),
      messages: some(() => pick(chatMessages)()),
      tools: some(() => ({
        function: { name: name(), description: text(), parameters: schema() },
      })),
      seed: number(),
    }),
    chatReply: () => ({
      id: name(),
      choices: some(() => ({ message: pick(chatMessages.slice(2, 5))() })),
    }),
    responses: () => ({ model: name(), instructions: text(), input: some(() => pick(items)()) }),
    responsesReply: () => ({ id: name(), output: some(() => pick(items)()) }),
    anthropic: () => ({
      system: pick([text, parts])(),
      messages: some(() => ({ role: "assistant", content: some(() => pick(blocks)()) })),
      tools: some(() => ({ name: name(), description: text(), input_schema: schema() })),
    }),
    anthropicReply: () => ({ id: name(), role: "assistant", content: some(() => pick(blocks)()) }),
    google: () => ({
      systemInstruction: { parts: [{ text: text() }] },
      contents: some(() => ({ role: "model", parts: some(() => pick(googleParts)()) })),
      tools: [
        { functionDeclarations: [{ name: name(), description: text(), parameters: schema() }] },
      ],
    }),
    converse: () => ({
      messages: some(() => ({ role: "assistant", content: some(() => pick(converseParts)()) })),
      toolConfig: {
        tools: [
          { toolSpec: { name: name(), description: text(), inputSchema: { json: schema() } } },
        ],
      },
    }),
    converseReply: () => ({
      output: { message: { role: "assistant", content: some(() => pick(converseParts)()) } },
    }),
    cohereReply: () => ({
      id: name(),
      message: { role: "assistant", content: parts(), tool_plan: text() },
    }),
    toolCall: () => ({
      ...rpc("params", { name: name(), arguments: args() }),
      method: "tools/call",
    }),
    toolList: () =>
      rpc("result", {
        tools: some(() => ({ name: text(), description: text(), inputSchema: schema(text) })),
      }),
    toolResult: () => rpc("result", { content: parts(), structuredContent: args() }),
    a2a: () => ({
      ...rpc("params", { message: { messageId: name(), role: "user", parts: [{ text: text() }] } }),
      method: "message/send",
    }),
    unknown: () => ({ question: text(), id: name(), rest: anything(30) }),
  };
}

const KEYS = ["a", "b c", "é/~", "", "__proto__x", "constructor", "text", "content", 'quote"', "7"];

function write(random: Random, tree: Tree, literals: Map<string, string>): string {
  const blank = () => random.pick(["", "", "", " ", "\n\t"]);
  const string = (text: string) => {
    const literal =
      literals.get(text) ?? `"${[...text].map((letter) => escaped(random, letter)).join("")}"`;
    literals.set(text, literal);
    return literal;
  };
  const value = (node: Tree): string => {
    if (typeof node === "string") return string(node);
    if (typeof node !== "object" || node === null) return String(node);
    if (RAW in node) return (node as Raw)[RAW];
    const list = Array.isArray(node)
      ? node.map((item) => `${blank()}${value(item)}${blank()}`)
      : Object.entries(node).map(
          ([name, member]) =>
            `${blank()}${string(name)}${blank()}:${blank()}${value(member)}${blank()}`,
        );
    return Array.isArray(node)
      ? `[${list.join(",") || blank()}]`
      : `{${list.join(",") || blank()}}`;
  };
  return value(tree);
}

function escaped(random: Random, letter: string): string {
  const plain = JSON.stringify(letter).slice(1, -1);
  // Tokens are not escaped, so that they are found in JSON that is read as one text.
  if (random.below(12) || /[th\d+]/.test(letter)) return plain;
  if (letter === "/") return "\\/";
  return [...Array(letter.length).keys()]
    .map((index) => `\\u${letter.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}

function withoutDropped(tree: Record<string, Tree>): Record<string, Tree> {
  const { attachments: _, ...kept } = tree;
  if (!Array.isArray(kept.messages)) return kept;
  const messages = kept.messages.map((message) => {
    const entries = Object.entries(message as Record<string, Tree>); // the builders create only objects
    return Object.fromEntries(
      entries.filter(([name, value]) => name !== "content" || value !== null),
    );
  });
  return { ...kept, messages };
}
