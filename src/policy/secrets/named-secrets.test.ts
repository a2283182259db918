/** Secrets that only the text before them identifies: the name of a vendor, a field, a URL. */
import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { findSecrets } from "./find-secrets.ts";

/** Generated, so that this file contains no key. */
const HEX = "7c1e94a0d3b86f5291e7c04bd8a35f62".slice(0, 32);
const MIXED = ["kD7mQx2V", "bT9zRfL4", "wHs8JpN3"].join("");
const UUID = `${HEX.slice(0, 8)}-${HEX.slice(8, 12)}-4${HEX.slice(0, 3)}-a${HEX.slice(3, 6)}-${HEX.slice(0, 12)}`;

const spans = (text: string) =>
  findSecrets(text).map(({ label, start, end }) => [label, text.slice(start, end)]);

test.each([
  ["datadog_key", "our Datadog key # stopped working", HEX],
  ["datadog_key", "The key for Datadog is #.", HEX],
  ["datadog_key", "datadog #", HEX],
  ["datadog_key", "| Datadog | # |", HEX],
  ["heroku_api_key", "use Heroku's API token #", UUID],
  ["vendor_key", "login to Pingdom with token #", MIXED],
  ["vendor_key", "here is our new Mixpanel api key #.", MIXED],
  ["vendor_key", "Klaviyo access token for production: #", MIXED],
  ["vendor_key", "PINGDOM_API_KEY #", MIXED],
  ["vendor_key", "shodan,#", HEX],
  ["vendor_key", '<add key="LogglyInput" value="#" />', MIXED],
  ["vendor_key", "<key>ShodanInput</key>\n  <string>#</string>", MIXED],
  ["vendor_key", 'client.pingdom("#")', MIXED],
  ["api_key", "the api key # is old", MIXED],
  ["api_key", "12:00:01 INFO client started Key=# region=eu", MIXED],
  ["secret", '<add key="clientSecret" value="#" />', MIXED],
  ["connection_string_password", "Server=db;Database=crm;Uid=sa;Pwd=#;", "Sup3r!"],
  ["connection_string_password", "DRIVER={SQL Server};SERVER=10.1.2.3;UID=app;PWD=#", "kitten"],
  ["connection_string_password", "Data Source=x;User ID=z;Password=#;Encrypt=true", "hunter2"],
  ["connection_string_password", "host=db user=app password=# dbname=x", "letmein"],
  ["url_password", "jdbc:mysql://h/db?user=app&password=#", "hunter2"],
  ["url_password", "redis://:#@cache:6379/0", "pw"],
  ["url_password", "postgres://app:#@db.internal/x", "P@ss1"],
  ["password", "<login>a</login>:<password>#</password>", "Xk29dmQ7"],
  ["password", "<password>#</password>", "@Xk29dmQ7"],
])("%s in %p", (label, template, value) => {
  expect(spans(template.replace("#", value))).toEqual([[label, value]]);
});

test.each([
  ["a commit after a common name", `github commit ${HEX}${HEX.slice(0, 8)}`],
  ["a name in code", "googlecloudsdk.looker.instances:ParseToDateTypeV1Alpha"],
  ["a word", "our Datadog key is important for the dashboard"],
  ["a name with a number", "the Mixpanel token production-tracker-2"],
  ["a version", "segment 20.10.24-alpha20101"],
  ["a public key", `publicKey=${MIXED}`],
  ["the key of a cache", `cacheKey=${MIXED}`],
  ["a CSRF token", `<input name="authenticity_token" value="${MIXED}${MIXED}">`],
  ["a default value in code", "def connect(host=None, user=None, password=None):"],
  ["an expression in code", "host=a user=b password=config.password;"],
  ["a placeholder", "postgres://app:password@db/x"],
  ["the host after a placeholder", "postgres://app:<password>@db.internal:5432/shop"],
  ["the host after a pseudonym", "postgres://app:<PASSWORD_2zyyuji3>@db.internal:5432/shop"],
  ["the host after a token", "https://x:<API_KEY_2abcdefg>@github.com/org/repo1"],
])("%s is not a secret: %p", (_, text) => {
  expect(findSecrets(text)).toEqual([]);
});

/** Beginnings of the patterns, repeated to fill the text. */
export const HOSTILE = [
  "datadog ",
  "datadog api key for the ",
  "mixpanel",
  "mixpanel-",
  "api key ",
  "key=",
  "server=a;pwd=",
  "password=",
  "user=a ",
  "://a:b@",
  "</key><string>",
];

test.each(HOSTILE)("%p repeated is scanned in linear time", async (unit) => {
  await expectLinear(findSecrets, (length) => unit.repeat(length / unit.length));
});
