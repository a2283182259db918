/** Composes the reply of the demo model: it repeats its input, calls requested tools and fills schemas. */
import { mentions, sampleSchema } from "./sample-schema.ts";
import type { DemoTurn } from "./turns.ts";

export interface DemoTool {
  name: string;
  parameters?: unknown;
}

export interface Prompt {
  turns: DemoTurn[];
  tools: DemoTool[];
  toolChoice: "auto" | "none" | "required" | { name: string };
  oneCallOnly: boolean;
  /** Requests JSON instead of prose; without a schema, any object. */
  json: { schema?: unknown } | undefined;
  maxTokens: number | undefined;
  stop: string[];
}

export interface DemoReply {
  text: string;
  calls: { name: string; arguments: string }[];
  ended: "stop" | "length" | "tool_calls";
  /** The stop sequence that ended the text, if any. */
  stoppedBy: string | undefined;
  inputTokens: number;
  outputTokens: number;
}

/** Caps what the model reads of each message, so that replies are bounded. */
const READ_CHARACTERS = 4000;
const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_ATTACHMENT = 85;
const MAX_CALLS = 8;

export function composeReply(prompt: Prompt): DemoReply {
  const inputTokens = countInput(prompt.turns);
  const userText = cut(lastOf(prompt.turns, "user")?.text ?? "", READ_CHARACTERS);
  const calls = pickTools(prompt, userText).map(({ name, parameters }) => ({
    name,
    // Arguments are always an object, even if the schema allows more.
    arguments: JSON.stringify(
      sampleSchema({ type: "object", ...Object(parameters) }, userText) ?? {},
    ),
  }));
  if (calls.length > 0) {
    const outputTokens = countTokens(calls.map((call) => call.name + call.arguments).join(""));
    const ended = "tool_calls";
    return { text: "", calls, ended, stoppedBy: undefined, inputTokens, outputTokens };
  }

  const whole = prompt.json ? composeJson(prompt.json.schema, userText) : composeText(prompt.turns);
  const { text: stopped, stoppedBy } = cutAtStop(whole, prompt.stop);
  const text = cut(stopped, (prompt.maxTokens ?? Infinity) * CHARACTERS_PER_TOKEN);
  const short = text.length < stopped.length;
  return {
    text,
    calls: [],
    ended: short ? "length" : "stop",
    stoppedBy: short ? undefined : stoppedBy,
    inputTokens,
    outputTokens: countTokens(text),
  };
}

/** Estimates four characters per token. */
export const countTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

export function countInput(turns: DemoTurn[]): number {
  return turns
    .map(
      ({ text, images, sounds, files }) =>
        countTokens(text) + TOKENS_PER_ATTACHMENT * (images + sounds + files),
    )
    .reduce((sum, tokens) => sum + tokens, 0);
}

const lastOf = (turns: DemoTurn[], role: DemoTurn["role"]): DemoTurn | undefined =>
  turns.findLast((turn) => turn.role === role);

function pickTools(
  { tools, toolChoice, turns, oneCallOnly }: Prompt,
  userText: string,
): DemoTool[] {
  if (toolChoice === "none") return [];
  if (typeof toolChoice === "object") return tools.filter(({ name }) => name === toolChoice.name);
  // After a tool result the model replies with text; a client that loops on tool calls would never stop otherwise.
  const followsTool = turns.at(-1)?.role === "tool";
  const named = followsTool ? [] : tools.filter(({ name }) => mentions(userText, name));
  const picked = named.length === 0 && toolChoice === "required" ? tools.slice(0, 1) : named;
  return picked.slice(0, oneCallOnly ? 1 : MAX_CALLS);
}

const composeJson = (schema: unknown, userText: string): string =>
  JSON.stringify(schema ? sampleSchema(schema, userText) : { demo: true, you_said: userText });

function composeText(turns: DemoTurn[]): string {
  const last = turns.at(-1);
  const said =
    last?.role === "tool"
      ? `The tool returned: ${shorten(last.text)}`
      : `You said: ${shorten(lastOf(turns, "user")?.text ?? "")}`;
  const system = lastOf(turns, "system");
  return [
    said,
    system && `Your system message of ${system.text.length} characters arrived too.`,
    describeAttachments(last),
    "This is the demo model of Portcullis: it repeats what it is given, so that you can try the gateway without a paid key.",
  ]
    .filter(Boolean)
    .join("\n\n");
}

function describeAttachments(turn: DemoTurn | undefined): string {
  const counts = { image: turn?.images, "audio clip": turn?.sounds, file: turn?.files };
  const named = Object.entries(counts).flatMap(([kind, count]) =>
    count ? `${count} ${kind}${count === 1 ? "" : "s"}` : [],
  );
  return named.length > 0 ? `Attached: ${named.join(" and ")}.` : "";
}

const shorten = (text: string): string =>
  text.length > READ_CHARACTERS ? `${cut(text, READ_CHARACTERS)}…` : text;

/** Truncates without splitting a surrogate pair, which UTF-8 cannot encode. */
const cut = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");

function cutAtStop(text: string, stops: string[]) {
  const found = stops
    .map((stop) => ({ stop, at: stop === "" ? -1 : text.indexOf(stop) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  return { text: found ? text.slice(0, found.at) : text, stoppedBy: found?.stop };
}
