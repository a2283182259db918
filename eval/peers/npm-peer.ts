/** Runs a library from npm over the texts on standard input: `bun eval/peers/npm-peer.ts NAME FOLDER TASK`. */
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Reading } from "../measure-task.ts";
import type { Span } from "../score-spans.ts";

const [name = "", folder = "", task = ""] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
/** Packages without types. */
// biome-ignore lint/suspicious/noExplicitAny: each library has its own shape, which only its adapter knows
type Library = any;
const load = (packageName = name): Library => require(packageName);
/** Loads a package that has no CommonJS build. */
const loadModule = (path: string): Promise<Library> => import(join(folder, "node_modules", path));

type Read = (text: string) => Partial<Reading> | Promise<Partial<Reading>>;

const ADAPTERS: Readonly<Record<string, () => Read | Promise<Read>>> = {
  "llm-firewall": () => {
    const { detectInjection } = load();
    return (text) => ({ isFlagged: detectInjection(text).triggered });
  },
  "@llm-guardrails/core": () => {
    const guard = task === "toxicity" ? "toxicity" : "injection";
    const engine = new (load().GuardrailEngine)({ guards: [guard] });
    return async (text) => {
      const { blocked, results } = await engine.checkInput(text);
      const scores = results.map((each: Library) => (each.blocked ? each.confidence : 0));
      return { isFlagged: blocked, score: Math.max(0, ...scores) };
    };
  },
  "@andersmyrmel/vard": async () => {
    const { vard, PromptInjectionError } = await loadModule("@andersmyrmel/vard/dist/index.js");
    return (text) => {
      try {
        vard(text);
        return {};
      } catch (thrown) {
        if (!(thrown instanceof PromptInjectionError)) throw thrown;
        const { threats } = thrown as Library;
        return {
          isFlagged: true,
          score: Math.max(...threats.map((each: Library) => each.severity)),
        };
      }
    };
  },
  "llm-guard": () => {
    const guard = new (load().LLMGuard)({
      ...{ pii: false, profanity: false, relevance: false },
      ...{ jailbreak: true, promptInjection: true, toxicity: true },
    });
    const rules =
      task === "toxicity"
        ? ["toxicity_detection"]
        : ["jailbreak_detection", "prompt_injection_detection"];
    return async (text) => {
      const { results } = await guard.validate(text);
      const found = results.filter(({ details }: Library) =>
        details.some(({ rule }: Library) => rules.includes(rule)),
      );
      const scores = found.map(({ score }: Library) => 1 - score);
      return { isFlagged: found.length > 0, score: Math.max(0, ...scores) };
    };
  },
  obscenity: () => {
    const { RegExpMatcher, englishDataset, englishRecommendedTransformers } = load();
    const matcher = new RegExpMatcher({
      ...englishDataset.build(),
      ...englishRecommendedTransformers,
    });
    return (text) => ({ isFlagged: matcher.hasMatch(text) });
  },
  "@openredaction/openredaction": () => {
    const shield = new (load().OpenRedaction)();
    return async (text) => {
      const { detections } = await shield.detect(text);
      return fromSpans(
        detections.map(({ type, position: [start, end] }: Library) => ({ type, start, end })),
      );
    };
  },
  "@openai/guardrails": () => {
    const { pii, PIIConfig, secretKeysCheck, SecretKeysConfig } = load();
    if (task === "secrets") {
      const config = SecretKeysConfig.parse({});
      return async (text) => {
        const { info } = await secretKeysCheck({}, text, config);
        return fromSpans(locate(text, { secret: info.detected_secrets ?? [] }));
      };
    }
    const config = PIIConfig.parse({});
    return async (text) => {
      const { info } = await pii({}, text, config);
      return fromSpans(locate(text, info.detected_entities ?? {}));
    };
  },
  "redact-pii": () => {
    const redactor = new (load().SyncRedactor)();
    return (text) => fromSpans(findReplaced(text, redactor.redact(text)));
  },
  "@redactpii/node": () => {
    const redactor = new (load().Redactor)();
    return (text) => fromSpans(findReplaced(text, redactor.redact(text)));
  },
  "@secretlint/core": async () => {
    const { lintSource } = await loadModule("@secretlint/core/module/index.js");
    const id = "@secretlint/secretlint-rule-preset-recommend";
    const { creator: rule } = await loadModule(`${id}/module/index.js`);
    const config = { rules: [{ id, rule, options: {} }] };
    return async (text) => {
      const source = { content: text, filePath: "text.txt", ext: ".txt", contentType: "text" };
      const { messages } = await lintSource({
        source,
        options: { noPhysicFilePath: true, config },
      });
      return fromSpans(
        messages.map(({ range: [start, end] }: Library) => ({ type: "secret", start, end })),
      );
    };
  },
};

const fromSpans = (spans: readonly Span[]): Partial<Reading> => ({
  isFlagged: spans.length > 0,
  spans,
});

/** Returns the positions of values that a library reports without them, by type. */
function locate(text: string, values: Readonly<Record<string, readonly string[]>>): Span[] {
  return Object.entries(values).flatMap(([type, found]) => {
    let at = 0;
    return found.flatMap((value) => {
      const start = text.indexOf(value, at);
      if (start < 0) return [];
      at = start + value.length;
      return [{ type, start, end: at }];
    });
  });
}

/** Returns what a library replaced by a name in capitals, by aligning the text around it. */
function findReplaced(text: string, redacted: string): Span[] {
  const spans: Span[] = [];
  const [first = "", ...rest] = redacted.split(
    /\b(PERSON_NAME|EMAIL_ADDRESS|PHONE_NUMBER|CREDIT_CARD_NUMBER|US_SOCIAL_SECURITY_NUMBER|IP_ADDRESS|STREET_ADDRESS|ZIPCODE|DIGITS|URL|USERNAME|PASSWORD|CREDENTIALS)\b/,
  );
  let at = first.length;
  for (let index = 0; index < rest.length; index += 2) {
    const [type = "", after = ""] = [rest[index], rest[index + 1]];
    const isLast = index + 2 >= rest.length;
    const next = isLast ? text.length - after.length : text.indexOf(after, at + 1);
    if (next < at) break;
    spans.push({ type, start: at, end: next });
    at = next + after.length;
  }
  return spans;
}

/** Texts before the measurement, so that the code is compiled. */
const WARM_UP = 300;

const adapter = ADAPTERS[name];
if (!adapter) throw new Error(`Unknown library "${name}".`);
const read = await adapter();
const texts = (await Bun.stdin.json()) as string[];
for (const text of texts.slice(0, WARM_UP)) await read(text);
for (const text of texts) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const reading = await read(text);
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const isFlagged = reading.isFlagged ?? false;
  const { score = isFlagged ? 1 : 0, spans = [] } = reading;
  const time = { ms, cpu_us: user + system };
  console.log(JSON.stringify({ isFlagged, score, spans, time } satisfies Reading));
}
