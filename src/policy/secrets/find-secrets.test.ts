import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { createSegment } from "../segment.ts";
import { findSecrets, SECRET_LABELS } from "./find-secrets.ts";
import { findSegmentSecrets } from "./find-segment-secrets.ts";

/** Keys are generated from their formats at run time, so that this file contains none. */
const LETTERS = "kD7mQx2VbT9zRfL4wHs8JpN3cYg6XaE5uBqW";
const made = (alphabet: string, length: number) =>
  Array.from({ length }, (_, at) => alphabet[(at * 7 + ((at * at) >> 2)) % alphabet.length]).join(
    "",
  );
const alnum = (length: number) => made(LETTERS, length);
const upper = (length: number) => made("K7DMQ2VBT4ZRFL5WHSJPN3CYGX6AEUIO", length);
const lower = (length: number) => made("k7dmq2vbt4zrfl5whsjpn3cygx6aeuio", length);
const letters = (length: number) => made("kDmQxVbTzRfLwHsJpNcYgXaEuBqW", length);
const hex = (length: number) => made("7c1e94a0d3b86f52", length);
const uuid = `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;

const FOUND: readonly [label: string, text: string][] = [
  ["portcullis_key", `pc_${alnum(43)}`],
  ["aws_access_key_id", `AKIA${upper(16)}`],
  ["aws_secret_access_key", `aws_secret_access_key = "${alnum(40)}"`],
  ["gcp_api_key", `https://maps.test/api?key=AIza${alnum(35)}&v=3`],
  ["gcp_client_secret", `GOCSPX-${alnum(28)}`],
  ["azure_client_secret", `${alnum(3)}8Q~${alnum(34)}`],
  ["azure_storage_key", `AccountKey=${alnum(86)}==;`],
  ["azure_devops_token", `${alnum(76)}AZDO${alnum(4)}`],
  ["digitalocean_token", `dop_v1_${hex(64)}`],
  ["heroku_api_key", `HEROKU_API_KEY=${uuid}`],
  ["cloudflare_api_token", `CLOUDFLARE_API_TOKEN: ${alnum(40)}`],
  ["fastly_token", `fastly_api_token = '${alnum(32)}'`],
  ["vault_token", `hvs.${alnum(90)}`],
  ["terraform_token", `${alnum(14)}.atlasv1.${alnum(67)}`],
  ["supabase_key", `sbp_${hex(40)}`],
  ["databricks_token", `dapi${hex(32)}`],
  ["github_token", `git clone https://x:ghp_${alnum(36)}@host.test/r.git`],
  ["github_fine_grained_token", `github_pat_${alnum(22)}_${alnum(59)}`],
  ["gitlab_token", `glpat-${alnum(20)}`],
  ["atlassian_api_token", `ATATT3${alnum(180)}`],
  ["npm_token", `//registry.test/:_authToken=npm_${alnum(36)}`],
  ["pypi_token", `pypi-AgEIcHlwaS5vcmc${alnum(80)}`],
  ["docker_token", `dckr_pat_${alnum(27)}`],
  ["sentry_user_token", `sntryu_${hex(64)}`],
  ["newrelic_user_key", `NRAK-${upper(27)}`],
  ["grafana_service_token", `glsa_${alnum(32)}_${hex(8)}`],
  ["datadog_key", `DD_API_KEY=${hex(32)}`],
  ["postman_api_key", `PMAK-${hex(24)}-${hex(34)}`],
  ["figma_token", `figd_${alnum(40)}`],
  ["linear_api_key", `lin_api_${alnum(40)}`],
  ["notion_token", `ntn_12093847561${alnum(35)}`],
  ["airtable_token", `pat${alnum(14)}.${hex(64)}`],
  ["openai_api_key", `sk-proj-${alnum(120)}`],
  ["openai_legacy_key", `sk-${alnum(20)}T3BlbkFJ${alnum(20)}`],
  ["anthropic_api_key", `sk-ant-api03-${alnum(93)}AA`],
  ["huggingface_token", `hf_${letters(34)}`],
  ["groq_key", `gsk_${alnum(52)}`],
  ["slack_token", `xoxb-120938475610-120938475611-${alnum(24)}`],
  ["slack_webhook", `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${alnum(24)}`],
  ["discord_webhook", `https://discord.com/api/webhooks/120938475610293847/${alnum(68)}`],
  ["telegram_bot_token", `1209384756:AA${alnum(33)}`],
  ["twilio_api_key", `SK${hex(32)}`],
  ["twilio_auth_token", `twilio_auth_token: "${hex(32)}"`],
  ["sendgrid_api_key", `SG.${alnum(22)}.${alnum(43)}`],
  ["mailgun_key", `key-${hex(32)}`],
  ["mailchimp_key", `${hex(32)}-us12`],
  ["shopify_token", `shpat_${hex(32)}`],
  ["stripe_secret_key", `sk_live_${alnum(24)}`],
  ["square_token", `sq0csp-${alnum(43)}`],
  ["okta_token", `okta_token = 00${alnum(40)}`],
  ["auth0_client_secret", `AUTH0_CLIENT_SECRET=${alnum(64)}`],
  ["jwt", `eyJ${alnum(30)}.eyJ${alnum(40)}.${alnum(43)}`],
  ["url_password", `postgres://app:${alnum(12)}@db.test:5432/app`],
  ["basic_authorization", `Authorization: Basic ${btoa(`app:${alnum(12)}`)}`],
  ["bearer_token", `Authorization: Bearer ${alnum(40)}`],
  ["command_line_password", `curl -u app:${alnum(12)} https://host.test`],
  ["password", `my password is ${alnum(10)}!`],
  ["password", `{\\"db_password\\": \\"${alnum(12)}\\"}`],
  ["password", `пароль: ${alnum(12)}`],
  ["password", `パスワード：${alnum(12)}`.normalize("NFKC")],
  ["password", `senha = "${alnum(12)}"`],
  ["api_key", `x-api-key: ${lower(24)}`],
  ["secret", `<client_secret>${alnum(24)}</client_secret>`],
];

test.each(FOUND)("%s is found", (label, text) => {
  expect(findSecrets(text).map((secret) => secret.label)).toEqual([label]);
});

test.each([
  ["an example of a vendor's documentation", "AKIAIOSFODNN7EXAMPLE"],
  ["a redacted key", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
  ["a repeated character", `sk_live_${"a".repeat(24)}`],
  ["a shell variable", `password=${"$"}{DB_PASSWORD_2024}`],
  ["a placeholder", "api_key: <your-api-key-1>"],
  ["a template", "token: {{ vault_token_2 }}"],
  ["an environment variable", "secret = os.environ['APP_SECRET_2']"],
  ["a member expression in code", "password = request.form.password2"],
  ["a call in code", "password = base64.b16encode(x[8:]); token = utf8_to_utf16_dup(v)"],
  ["a URL after -u", "send -u http://localhost:8080/logs1"],
  ["a path after -u", "rsync -u host:/some/path/to1 dest"],
  ["a module after -u", "perldoc -u Some::Module2Name"],
  ["a group after -u", "docker run -u appuser:appgroup image"],
  ["a signature algorithm", "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830"],
  ["a placeholder in another language", "http://Benutzer:Passwort@Server:80/"],
  ["metadata of a secret", `credentialsId: '${uuid}'`],
  ["the word password", "curl -u someone:password ftp://host.test"],
  ["prose about passwords", "Your password is important, and a token is enough."],
  ["prose with the word basic", "a basic understanding of encryption"],
  ["part of a longer word", `cameraKit: ${hex(40)}, task-${hex(32)}`],
  ["a value longer than its format", `AKIA${upper(30)}`],
  [
    "the header of a key without content",
    "-----BEGIN PRIVATE KEY-----\nanything\n-----END PRIVATE KEY-----",
  ],
  ["a commit hash", `commit ${hex(40)}`],
])("%s is not a secret", (_, text) => {
  expect(findSecrets(text)).toEqual([]);
});

test.each([
  ["as a file", "\n"],
  ["in a JSON string", "\\n"],
])("a private key is found completely %s", (_, newline) => {
  const key = [
    "-----BEGIN RSA PRIVATE KEY-----",
    alnum(64),
    alnum(64),
    `${alnum(19)}=`,
    "-----END RSA PRIVATE KEY-----",
  ].join(newline);
  const text = `key: ${key} and more`;

  expect(findSecrets(text)).toMatchObject([
    { label: "private_key", start: 5, end: 5 + key.length },
  ]);
});

test.each(["", "> ", "# ", "// ", "+    "])(
  "a PuTTY key in lines with the prefix %j is found",
  (prefix) => {
    const key = [
      "PuTTY-User-Key-File-3: ssh-ed25519",
      "Encryption: none",
      "Public-Lines: 1",
      alnum(64),
      "Private-Lines: 1",
      alnum(48),
      `Private-MAC: ${hex(64)}`,
    ].join(`\n${prefix}`);

    expect(findSecrets(prefix + key)).toMatchObject([
      { label: "putty_private_key", start: prefix.length, end: prefix.length + key.length },
    ]);
  },
);

test("a truncated private key ends with its last line, not with the text", () => {
  const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${alnum(70)}\n${alnum(70)}`;

  expect(findSecrets(`${key}\n\nWhat is wrong with it?`)).toMatchObject([{ end: key.length }]);
});

test("the span covers only the secret, not its name or URL", () => {
  const text = `postgres://app:${alnum(12)}@db.test/app`;

  expect(findSecrets(text)).toMatchObject([{ start: 15, end: 27 }]);
});

test.each([
  `ghp_${alnum(36)}`,
  `AKIA${upper(16)}`,
  `AIza${alnum(35)}`,
  `glpat-${alnum(20)}`,
  `pscale_pw_${alnum(43)}`,
  `eyJ${alnum(30)}.eyJ${alnum(40)}.${alnum(43)}`,
])("punctuation and markdown after a key are not part of it: %p", (key) => {
  const spans = (text: string) =>
    findSecrets(text).map(({ start, end }) => text.slice(start, end).replace(/_+$/, ""));

  expect(findSecrets(`It is ${key}. Really`)).toMatchObject([{ start: 6, end: 6 + key.length }]);
  expect(spans(`It is __${key}__ really`)).toEqual([key]);
});

test("a random key that contains xXxX is not taken for a redacted one", () => {
  expect(findSecrets(`sk-proj-${alnum(60)}xXxX${alnum(60)}`)).toHaveLength(1);
});

test("a quoted password extends to its closing quote", () => {
  const text = `password = '${alnum(9)}#)${alnum(6)}'  # mine (really)`;
  const [found] = findSecrets(text);
  expect(text.slice(found?.start, found?.end)).toBe(`${alnum(9)}#)${alnum(6)}`);
});

test("overlapping secrets are merged under the label of highest confidence", () => {
  const key = `sk_live_${alnum(24)}`;
  const text = `password="${key}%${alnum(4)}"`;

  expect(findSecrets(text)).toMatchObject([
    { label: "stripe_secret_key", start: 10, end: text.length - 1 },
  ]);
});

test("a secret after a string escape is found without the escape", () => {
  const key = `ghp_${alnum(36)}`;
  const text = JSON.stringify({ out: `line\n${key}\n` });
  const [secret] = findSegmentSecrets(createSegment(text, "tool_result", { pointer: "/x" }));
  expect(text.slice(secret?.start, secret?.end)).toBe(key);
});

test("an encoded secret is found at its location in the original text", () => {
  const encoded = btoa(`token: ghp_${alnum(36)}`);
  const text = `data:\n  config: ${encoded}\n`;

  const [secret] = findSegmentSecrets(createSegment(text, "tool_result", { pointer: "/x" }));

  expect(secret?.label).toBe("github_token");
  expect(encoded).toContain(text.slice(secret?.start, secret?.end));
});

test("an invisible character inside a key does not hide it", () => {
  const text = `ghp_${alnum(10)}\u200b${alnum(26)}`;

  expect(findSegmentSecrets(createSegment(text, "user", { pointer: "/x" }))).toMatchObject([
    { label: "github_token", start: 0, end: text.length },
  ]);
});

test.each(["İİ ", "ſﬃ ", "K ", "𝐀 "])("a key after %s is found at its location", (before) => {
  const key = `ghp_${alnum(36)}`;

  const found = findSegmentSecrets(createSegment(before + key, "user", { pointer: "/x" }));

  expect(found).toMatchObject([{ label: "github_token", start: before.length }]);
  expect((before + key).slice(found[0]?.start, found[0]?.end)).toBe(key);
});

test.each(["password", "contraseña", "пароль"])(
  "%s indicates a password in any case: in plain text, after an escape and encoded",
  (word) => {
    const [first = "", ...rest] = word;
    for (const name of [word, word.toUpperCase(), first.toUpperCase() + rest.join("")]) {
      const plain = `${name}: ${alnum(12)}`;
      for (const text of [plain, `\\n${plain}`, Buffer.from(plain).toString("base64")]) {
        expect(findSegmentSecrets(createSegment(text, "user", { pointer: "/x" }))).toMatchObject([
          { label: "password" },
        ]);
      }
    }
  },
);

test("more than 200 kinds of secrets have a format", () => {
  expect(SECRET_LABELS.length).toBeGreaterThan(200);
});

/** Starts of formats, repeated to fill the text. */
export const HOSTILE = [
  "a",
  "-",
  "eyJ",
  "-eyJ",
  "eyJaaaaaaaaaaaa.",
  "eyJaaaaaaaaaa.eyJaaaa.",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n",
  "://a:",
  "authorization=",
  "authorization:bearer ",
  "api_key=",
  "api_key",
  "secret=",
  "password is ",
  "bearer ",
  "-u a:",
  "PuTTY-User-Key-File-2: x\n",
  "sk-",
  "Q~",
  "AZDO",
  "1:AA",
  "-us",
  ".atlasv1.",
  "AKIA",
  "hetzner",
  "ops_eyJ",
  "pypi-AgEIcHlwaS5vcmc",
  "&sig=%41",
];

test.each(HOSTILE)("%p repeated is scanned in linear time", async (unit) => {
  await expectLinear(findSecrets, (length) => unit.repeat(length / unit.length));
});
