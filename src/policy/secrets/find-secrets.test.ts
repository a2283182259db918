import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { createSegment } from "../segment.ts";
import { findSecrets, SECRET_LABELS } from "./find-secrets.ts";
import { findSegmentSecrets } from "./find-segment-secrets.ts";

/** No key in this file is one: each is made from its format when the test runs. */
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
  ["the example of a vendor's manual", "AKIAIOSFODNN7EXAMPLE"],
  ["a key blotted out", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
  ["one character again and again", `sk_live_${"a".repeat(24)}`],
  ["a variable of a shell", `password=${"$"}{DB_PASSWORD_2024}`],
  ["a place to fill in", "api_key: <your-api-key-1>"],
  ["a template", "token: {{ vault_token_2 }}"],
  ["where the secret comes from", "secret = os.environ['APP_SECRET_2']"],
  ["a call in code", "password = request.form.password2"],
  ["what a call gives", "password = base64.b16encode(x[8:]); token = utf8_to_utf16_dup(v)"],
  ["an address after -u", "send -u http://localhost:8080/logs1"],
  ["a path after -u", "rsync -u host:/some/path/to1 dest"],
  ["a module after -u", "perldoc -u Some::Module2Name"],
  ["a group after -u", "docker run -u appuser:appgroup image"],
  ["the name of a signature", "Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830"],
  ["the word for it in a manual", "http://Benutzer:Passwort@Server:80/"],
  ["what is about a secret", `credentialsId: '${uuid}'`],
  ["the word password", "curl -u someone:password ftp://host.test"],
  ["prose about passwords", "Your password is important, and a token is enough."],
  ["prose with the word basic", "a basic understanding of encryption"],
  ["the inside of a longer word", `cameraKit: ${hex(40)}, task-${hex(32)}`],
  ["a key that is longer than its format", `AKIA${upper(30)}`],
  [
    "the head of a key with nothing in it",
    "-----BEGIN PRIVATE KEY-----\nanything\n-----END PRIVATE KEY-----",
  ],
  ["a commit", `commit ${hex(40)}`],
])("%s is no secret", (_, text) => {
  expect(findSecrets(text)).toEqual([]);
});

test.each([
  ["as a file", "\n"],
  ["in a string of JSON", "\\n"],
])("a private key is found as a whole %s", (_, newline) => {
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

test("a private key that was cut off ends with its lines, not with the text", () => {
  const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${alnum(70)}\n${alnum(70)}`;

  expect(findSecrets(`${key}\n\nWhat is wrong with it?`)).toMatchObject([{ end: key.length }]);
});

test("only the secret is told, not the name or the address around it", () => {
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
])("what ends a sentence or makes it bold is no part of a key: %p", (key) => {
  const spans = (text: string) =>
    findSecrets(text).map(({ start, end }) => text.slice(start, end).replace(/_+$/, ""));

  expect(findSecrets(`It is ${key}. Really`)).toMatchObject([{ start: 6, end: 6 + key.length }]);
  expect(spans(`It is __${key}__ really`)).toEqual([key]);
});

test("letters that are those of a blotted-out key by chance hide none", () => {
  expect(findSecrets(`sk-proj-${alnum(60)}xXxX${alnum(60)}`)).toHaveLength(1);
});

test("a password in quotes is masked to the closing quote, whatever signs are in it", () => {
  const text = `password = '${alnum(9)}#)${alnum(6)}'  # mine (really)`;
  const [found] = findSecrets(text);
  expect(text.slice(found?.start, found?.end)).toBe(`${alnum(9)}#)${alnum(6)}`);
});

test("what overlaps is one secret, named after the surest and covering all", () => {
  const key = `sk_live_${alnum(24)}`;
  const text = `password="${key}%${alnum(4)}"`;

  expect(findSecrets(text)).toMatchObject([
    { label: "stripe_secret_key", start: 10, end: text.length - 1 },
  ]);
});

test("what stands behind the escape of a string is found, and the escape is no part of it", () => {
  const key = `ghp_${alnum(36)}`;
  const text = JSON.stringify({ out: `line\n${key}\n` });
  const [secret] = findSegmentSecrets(createSegment(text, "tool_result", { pointer: "/x" }));
  expect(text.slice(secret?.start, secret?.end)).toBe(key);
});

test("what is encoded is found at its place in the text", () => {
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

test.each(["İİ ", "ſﬃ ", "K ", "𝐀 "])("a key behind %s is found where it stands", (before) => {
  const key = `ghp_${alnum(36)}`;

  const found = findSegmentSecrets(createSegment(before + key, "user", { pointer: "/x" }));

  expect(found).toMatchObject([{ label: "github_token", start: before.length }]);
  expect((before + key).slice(found[0]?.start, found[0]?.end)).toBe(key);
});

test.each(["password", "contraseña", "пароль"])(
  "%s announces a password in any case, plain, behind an escape and encoded",
  (word) => {
    const [first = "", ...rest] = word;
    for (const written of [word, word.toUpperCase(), first.toUpperCase() + rest.join("")]) {
      const plain = `${written}: ${alnum(12)}`;
      for (const text of [plain, `\\n${plain}`, Buffer.from(plain).toString("base64")]) {
        expect(findSegmentSecrets(createSegment(text, "user", { pointer: "/x" }))).toMatchObject([
          { label: "password" },
        ]);
      }
    }
  },
);

test("there are formats of more than 200 kinds", () => {
  expect(SECRET_LABELS.length).toBeGreaterThan(200);
});

/** Repeated, each makes as many starts of a format as fit into a text. */
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

test.each(HOSTILE)("%p repeated takes time in proportion to its text", async (unit) => {
  await expectLinear(findSecrets, (length) => unit.repeat(length / unit.length));
});
