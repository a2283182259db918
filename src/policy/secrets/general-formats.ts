/** Formats of credentials of any vendor: private keys, JWTs, and values that are identified by their name. */
import { isNamedSecret } from "./is-named-secret.ts";
import { isRandomKey } from "./is-random-key.ts";
import { PRIVATE_KEY_FORMAT } from "./private-key-format.ts";
import { ASSIGNMENT, createRandomKeyFormat, QUOTE, type SecretFormat } from "./secret-format.ts";
import { VENDOR_NAMES } from "./vendor-names.ts";

/** Rejects a function call, which is code that gets the value. */
const NOT_CALLED = "(?![\\w.]{0,60}\\()";
/** Field of a connection string before the password: `Server=db;`, `user=app `. */
const CONNECTION_FIELD = `\\b(?:server|data source|address|host|driver|dsn|provider|uid|user(?: ?id|name)?|database|dbname|databasename|initial catalog|port|endpoint|accountname|sharedaccesskeyname) ?= ?[^;\\n"'=]{1,60}[; ] {0,2}`;

const PASSWORD_NAMES = [
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
const KEY_NAMES = [
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
const SECRET_NAMES = ["secret", "token", "credential"];

export const GENERAL_FORMATS: readonly SecretFormat[] = [
  createRandomKeyFormat("vendor_key", VENDOR_NAMES, "[\\w.-]{2,20}?"),
  createRandomKeyFormat(
    "api_key",
    ["api", "access", "secret", "auth"].flatMap((kind) => [`${kind} key`, `${kind} token`]),
    "\\w{3,6} \\w{3,5}",
  ),
  {
    ...genericFormat("api_key", ["key="]),
    boundary: "no_letter_of_its_case",
    pattern: new RegExp(
      `(?<!(?:pub|public|sort|partition|cache|primary|foreign|row|object)_?)key=${QUOTE}([\\w~+/-]{16,150}={0,2})(?![\\w.])`,
      "iy",
    ),
    min_entropy: 3.3,
    isValid: (value, name) => isRandomKey(value) && isNamedSecret(value, name),
  },
  PRIVATE_KEY_FORMAT,
  {
    ...certainFormat("putty_private_key", ["putty-user-key-file-"]),
    pattern:
      /PuTTY-User-Key-File-\d: [^\n]{1,80}\n(?:[^\n]{1,200}\n){4,60}?[ \t>#;%|:*/+-]{0,12}Private-MAC: [0-9a-f]{40,64}/y,
  },
  {
    ...certainFormat("jwt", ["eyj"]),
    pattern:
      /(?<=(?:^|[^\w.-])_{0,2})eyJ[\w-]{10,2000}\.eyJ[\w-]{4,8000}\.[\w-]{10,1000}(?![\w-])/y,
  },
  {
    ...certainFormat("jwe", ["eyj"]),
    pattern:
      /(?<=(?:^|[^\w.-])_{0,2})eyJ[\w-]{10,2000}\.[\w-]{0,1000}\.[\w-]{8,64}\.[\w-]{8,8000}\.[\w-]{16,64}(?![\w-])/y,
  },
  {
    ...likelyFormat("url_password", ["://"]),
    // The password may contain one `@`.
    pattern:
      /:\/\/[^\s:@/?#"'`<>\\]{0,100}:([^\s@/"'`<>\\]{1,200}(?:@[^\s@/?#"'`<>\\.:]{1,60})?)(?=@[\w[])/y,
    min_entropy: 1,
  },
  {
    ...likelyFormat("url_password", ["password=", "passwd=", "pwd=", "pass="]),
    pattern: /(?<=[?&])(?:password|passwd|pwd|pass)=([^\s&#;"'`<>\\]{3,100})/iy,
    min_entropy: 1.5,
  },
  {
    ...likelyFormat("connection_string_password", ["password=", "password =", "pwd=", "pwd ="]),
    pattern: new RegExp(
      `(?<=${CONNECTION_FIELD}(?:[a-z ]{1,20}=[^;\\n"'=]{0,30}[; ] {0,2})?)(?:password|pwd) ?= ?([^\\s;"'\`<>&,]{3,100})`,
      "iy",
    ),
    min_entropy: 1.5,
    // Not an expression of code: `password=config.password`.
    isValid: (value) => !/^(?:[a-z_$][\w$]*[.([]|none\b|null\b)/i.test(value),
  },
  {
    ...likelyFormat("basic_authorization", ["basic "]),
    pattern: /Basic ([A-Za-z0-9+/]{10,400}={0,2})(?![\w])/iy,
    isValid: (value) =>
      /^[ -\x7e\x80-\xff]{1,200}:[ -\x7e\x80-\xff]{1,200}$/.test(
        Buffer.from(value, "base64").toString("latin1"),
      ),
  },
  {
    ...likelyFormat("bearer_token", ["bearer ", "authorization"]),
    pattern: new RegExp(
      `(?:Bearer[ \\t]{1,4}|Authorization${QUOTE}${ASSIGNMENT}${QUOTE}(?!Basic |AWS4-)(?:[A-Za-z-]{3,12}[ =]{1,4})?)([\\w.~+/@-]{16,2000}={0,2})`,
      "iy",
    ),
    min_entropy: 3.3,
    isValid: isNamedSecret,
  },
  {
    ...likelyFormat("command_line_password", ["--user ", "--user=", "-u "]),
    // -u is also used for a URL, a module (`Some::Thing`), or a user and group.
    pattern:
      /-(?:-user|u)[ =]{1,3}["']?[^\s:"'`<>{}$]{0,80}["']?:["']?(?![/:])([^\s"'`<>]{6,100})/y,
    min_entropy: 2.3,
    isValid: (value) => !/^[a-z_-]+$/.test(value),
  },
  {
    ...genericFormat("password", PASSWORD_NAMES),
    pattern: new RegExp(
      `(?:${PASSWORD_NAMES.join("|")})[\\w.-]{0,24}(?:${QUOTE}${ASSIGNMENT}${QUOTE}| (?:is|es|ist|est)(?: now)?:? ["'\`]?)([^\\s"'\`,;<>()[\\]|\\\\]{8,100})${NOT_CALLED}`,
      "iy",
    ),
    min_entropy: 2.8,
  },
  {
    ...genericFormat("api_key", KEY_NAMES),
    pattern: new RegExp(
      `(?:${KEY_NAMES.join("|")})[\\w.-]{0,40}(?:${QUOTE}${ASSIGNMENT}${QUOTE}| is:? ["'\`]?)([\\w.~+/@!#$%^*-]{10,150}={0,2})${NOT_CALLED}`,
      "iy",
    ),
    min_entropy: 3.3,
  },
  {
    ...genericFormat("secret", SECRET_NAMES),
    pattern: new RegExp(
      `(?<!(?:csrf|xsrf|authenticity|public)[_-]?)(?:${SECRET_NAMES.join("|")})[\\w.-]{0,40}(?:${QUOTE}${ASSIGNMENT}${QUOTE}| is:? ["'\`]?)([\\w.~+/@!#$%^*-]{12,200}={0,2})${NOT_CALLED}`,
      "iy",
    ),
    min_entropy: 3.5,
  },
];

type FormatBasics = Omit<SecretFormat, "pattern">;

function certainFormat(label: string, keywords: readonly string[]): FormatBasics {
  return {
    label,
    keywords,
    boundary: "anything",
    lookBehind: [0],
    min_entropy: 3,
    confidence: 0.95,
    generic: false,
  };
}

function likelyFormat(label: string, keywords: readonly string[]): FormatBasics {
  return { ...certainFormat(label, keywords), confidence: 0.85 };
}

function genericFormat(label: string, keywords: readonly string[]): FormatBasics {
  return {
    ...certainFormat(label, keywords),
    confidence: 0.7,
    generic: true,
    isValid: isNamedSecret,
  };
}
