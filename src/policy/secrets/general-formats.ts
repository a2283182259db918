/** Credentials of no one vendor: keys in blocks, tokens that describe themselves, values that a name gives away. */
import { isNamedSecret } from "./is-named-secret.ts";
import { ASSIGNED, QUOTE, type SecretFormat } from "./secret-format.ts";

/** Between the lines of a key: a line break, also written as \\n, and what strings in code are joined with. */
const BREAK = `(?:\\s|\\\\{1,2}[nr]|["',]| \\+){1,12}`;
const HEADER = `(?:${BREAK}[A-Za-z]{1,20}(?:-[A-Za-z]{1,20})?: [^\\n\\\\]{0,120})`;
/** What is called is code that gets the value. */
const NOT_CALLED = "(?![\\w.]{0,60}\\()";
const NAMES_OF_PASSWORDS = [
  "password",
  "passwd",
  "passphrase",
  "pwd",
  "contraseña",
  "passwort",
  "kennwort",
  "mot de passe",
  "senha",
  "wachtwoord",
  "пароль",
  "密码",
  "パスワード",
  "비밀번호",
];
const NAMES_OF_KEYS = [
  "api_key",
  "apikey",
  "api-key",
  "api key",
  "access_key",
  "accesskey",
  "access-key",
  "auth_key",
  "authkey",
  "encryption_key",
  "signing_key",
  "master_key",
  "client_key",
  "subscription-key",
];
const NAMES_OF_SECRETS = ["secret", "token", "credential"];

export const GENERAL_FORMATS: readonly SecretFormat[] = [
  {
    ...sure("private_key", ["-----begin "]),
    // As far as its lines go, and its end where it has one.
    pattern: new RegExp(
      `-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----${HEADER}{0,5}(?:${BREAK}[A-Za-z0-9+/=]{16,2000}){1,400}(?:(?:${BREAK}[A-Za-z0-9+/=]{1,80}){0,2}(?:${BREAK})?-----END [A-Z0-9 ]{0,40}-----)?`,
      "y",
    ),
  },
  {
    ...sure("putty_private_key", ["putty-user-key-file-"]),
    pattern:
      /PuTTY-User-Key-File-\d: [^\n]{1,80}\n(?:[^\n]{1,200}\n){4,60}?Private-MAC: [0-9a-f]{40,64}/y,
  },
  {
    ...sure("jwt", ["eyj"]),
    pattern:
      /(?<=(?:^|[^\w.-])_{0,2})eyJ[\w-]{10,2000}\.eyJ[\w-]{4,8000}\.[\w-]{10,1000}(?![\w-])/y,
  },
  {
    ...sure("jwe", ["eyj"]),
    pattern:
      /(?<=(?:^|[^\w.-])_{0,2})eyJ[\w-]{10,2000}\.[\w-]{0,1000}\.[\w-]{8,64}\.[\w-]{8,8000}\.[\w-]{16,64}(?![\w-])/y,
  },
  {
    ...likely("url_password", ["://"]),
    pattern: /:\/\/[^\s:@/?#"'`<>\\]{0,100}:([^\s@/"'`<>\\]{3,200})(?=@[\w[])/y,
    min_entropy: 1.5,
  },
  {
    ...likely("basic_authorization", ["basic "]),
    pattern: /Basic ([A-Za-z0-9+/]{10,400}={0,2})(?![\w])/iy,
    valid: (value) =>
      /^[ -\x7e\x80-\xff]{1,200}:[ -\x7e\x80-\xff]{1,200}$/.test(
        Buffer.from(value, "base64").toString("latin1"),
      ),
  },
  {
    ...likely("bearer_token", ["bearer ", "authorization"]),
    pattern: new RegExp(
      `(?:Bearer[ \\t]{1,4}|Authorization${QUOTE}${ASSIGNED}${QUOTE}(?!Basic |AWS4-)(?:[A-Za-z-]{3,12}[ =]{1,4})?)([\\w.~+/@-]{16,2000}={0,2})`,
      "iy",
    ),
    min_entropy: 3.3,
    valid: isNamedSecret,
  },
  {
    ...likely("command_line_password", ["--user ", "--user=", "-u "]),
    // -u also takes an address, a module (`Some::Thing`), a user and a group.
    pattern:
      /-(?:-user|u)[ =]{1,3}["']?[^\s:"'`<>{}$]{0,80}["']?:["']?(?![/:])([^\s"'`<>]{6,100})/y,
    min_entropy: 2.3,
    valid: (value) => !/^[a-z_-]+$/.test(value),
  },
  {
    ...guess("password", NAMES_OF_PASSWORDS),
    pattern: new RegExp(
      `(?:${NAMES_OF_PASSWORDS.join("|")})[\\w.-]{0,24}(?:${QUOTE}${ASSIGNED}${QUOTE}| (?:is|es|ist|est)(?: now)?:? ["'\`]?)([^\\s"'\`,;<>()[\\]|\\\\]{8,100})${NOT_CALLED}`,
      "iy",
    ),
    min_entropy: 2.8,
  },
  {
    ...guess("api_key", NAMES_OF_KEYS),
    pattern: new RegExp(
      `(?:${NAMES_OF_KEYS.join("|")})[\\w.-]{0,40}(?:${QUOTE}${ASSIGNED}${QUOTE}| is:? ["'\`]?)([\\w.~+/@!#$%^*-]{10,150}={0,2})${NOT_CALLED}`,
      "iy",
    ),
    min_entropy: 3.3,
  },
  {
    ...guess("secret", NAMES_OF_SECRETS),
    pattern: new RegExp(
      `(?:${NAMES_OF_SECRETS.join("|")})[\\w.-]{0,40}(?:${QUOTE}${ASSIGNED}${QUOTE}| is:? ["'\`]?)([\\w.~+/@!#$%^*-]{12,200}={0,2})${NOT_CALLED}`,
      "iy",
    ),
    min_entropy: 3.5,
  },
];

type About = Omit<SecretFormat, "pattern">;

function sure(label: string, keywords: readonly string[]): About {
  return {
    label,
    keywords,
    after: "anything",
    back: [0],
    min_entropy: 3,
    confidence: 0.95,
    generic: false,
  };
}

function likely(label: string, keywords: readonly string[]): About {
  return { ...sure(label, keywords), confidence: 0.85 };
}

function guess(label: string, keywords: readonly string[]): About {
  return { ...sure(label, keywords), confidence: 0.7, generic: true, valid: isNamedSecret };
}
