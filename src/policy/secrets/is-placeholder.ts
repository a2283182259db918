/** Whether a value only holds the place of a secret: examples, templates, references to where the secret is. */

const WORDS =
  /^\W?(?:password|passwd|pass|passwort|contraseña|senha|secret|token|username|user|admin|root)\d{0,3}\W?$|example|placeholder|change_?me|your[-_.]|redacted|dummy|insert|replace|\*{3}|\.\.|#{4}|0{8}|12345678|abcdefgh|qwerty/i;
/** Of one case: random keys have xXxX by chance. */
const REDACTED = /x{4}|X{4}/;
/** `${TOKEN}`, `<token>`, `{{ token }}`, `%s`, `$TOKEN`, `os.environ[…]`. */
const TEMPLATE = /^[$%<{]|\$\{|\{\{|\$\(|<\w|process\.env|environ|getenv|secrets?\.|vars?\./i;

/** What is longer is random text, which holds some of these words by chance. */
const MAX_CHARACTERS = 200;

export const isPlaceholder = (value: string): boolean =>
  value.length <= MAX_CHARACTERS &&
  (WORDS.test(value) || REDACTED.test(value) || TEMPLATE.test(value));
