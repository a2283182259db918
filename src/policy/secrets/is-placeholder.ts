/** Detects placeholders of secrets: examples, templates and references. */

const WORDS =
  /^\W?(?:password|passwd|pass|passwort|contraseña|senha|secret|token|username|user|admin|root|none|null|nil|undefined|true|false)\d{0,3}\W?$|example|placeholder|change_?me|your[-_.]|redacted|dummy|insert|replace|\*{3}|\.\.|#{4}|0{8}|12345678|abcdefgh|qwerty/i;
/** In one case only: random keys contain xXxX by chance. */
const REDACTED = /x{4}|X{4}/;
/** `${TOKEN}`, `<token>`, `{{ token }}`, `%s`, `$TOKEN`, `os.environ[…]`. */
const TEMPLATE = /^[$%<{]|\$\{|\{\{|\$\(|<\w|process\.env|environ|getenv|secrets?\.|vars?\./i;

/** Longer values are random text, which contains some of these words by chance. */
const MAX_CHARACTERS = 200;

export const isPlaceholder = (value: string): boolean =>
  value.length <= MAX_CHARACTERS &&
  (WORDS.test(value) || REDACTED.test(value) || TEMPLATE.test(value));
