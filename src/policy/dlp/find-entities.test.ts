import { expect, test } from "bun:test";
import { createSegment, type SegmentSource } from "../segment.ts";
import type { EntityName } from "./entities.ts";
import { findEntities } from "./find-entities.ts";

const hits = (
  text: string,
  place: { source?: SegmentSource; pointer?: string; inner?: string } = {},
) =>
  findEntities(
    createSegment(text, place.source ?? "user", {
      pointer: place.pointer ?? "/input",
      inner: place.inner ?? null,
    }),
  ).map(({ entity, start, end, confidence }) => ({
    entity,
    text: text.slice(start, end),
    confidence,
  }));

/** Returns the entities above the default minimum confidence. */
const findDefault = (text: string) =>
  hits(text)
    .filter(({ confidence }) => confidence >= 0.5)
    .map(({ entity, text: found }) => `${entity}=${found}`);

/** Each value is found in a sentence; the variant with a wrong check digit is not. */
const CHECKED: [entity: EntityName, before: string, value: string, wrong: string][] = [
  ["credit_card", "pay with", "4111 1111 1111 1111", "4111 1111 1111 1112"],
  ["credit_card", "my card", "4111 1111\n1111 1111", "4111 1111\n1111 1112"],
  ["credit_card", "Card number:\r\n", "4111 1111\r\n> 1111 1111", "4111 1111\r\n> 1111 1112"],
  ["credit_card", "pay with", "4111-1111-1111-\r\n1111", "4111-1111-1111-\r\n1112"],
  ["credit_card", "pay with", "4111\n 1111 1111 1111", "4111\n 1111 1111 1112"],
  ["credit_card", "pay with", "4111 \r\n1111 1111 1111", "4111 \r\n1111 1111 1112"],
  ["credit_card", "pay with", "4111\r\n1111 1111 1111", "4111\r\n1111 1111 1112"],
  ["credit_card", "pay with", "378282246310005", "378282246310006"],
  ["credit_card", "pay with", "3782 822463 10005", "3782 822463 10006"],
  ["credit_card", "pay with", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2"],
  ["credit_card", "on card", "586824160825533338", "586824160825533339"],
  ["iban", "send to", "GB82 WEST 1234 5698 7654 32", "GB82 WEST 1234 5698 7654 33"],
  ["iban", "send to", "de89370400440532013000", "de89370400440532013001"],
  ["spanish_iban", "send to", "ES9121000418450200051332", "ES9121000418450200051333"],
  ["swift_bic", "SWIFT", "DEUTDEFF500", "DEUTQQFF500"],
  ["routing_number", "routing", "021000021", "021000022"],
  ["isin", "holds", "US0378331005", "US0378331006"],
  [
    "crypto_wallet",
    "to",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp",
  ],
  [
    "crypto_wallet",
    "to",
    "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
    "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3",
  ],
  [
    "crypto_wallet",
    "to",
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x52908400098527886E0F7030069857D2E4169EE",
  ],
  ["ssn", "number", "123-45-6789", "666-45-6789"],
  ["ssn", "ssn", "123456789", "900456789"],
  ["us_medicare", "card", "1EG4-TE5-MK73", "1EG4-TE5-MS73"],
  ["spanish_dni", "soy", "12345678Z", "12345678A"],
  ["spanish_nie", "soy", "X1234567L", "X1234567M"],
  ["spanish_cif", "CIF", "A58818501", "A58818502"],
  ["spanish_nss", "tengo", "28/12345678/40", "28/12345678/41"],
  ["french_nir", "mon", "1 85 05 78 006 084 91", "1 85 05 78 006 084 92"],
  ["german_id", "Ausweis", "T220001293", "T220001294"],
  ["italian_cf", "il", "RSSMRA85T10A562S", "RSSMRA85T10A562T"],
  ["brazilian_cpf", "o", "529.982.247-25", "529.982.247-26"],
  ["brazilian_cnpj", "a", "11.222.333/0001-81", "11.222.333/0001-82"],
  ["brazilian_cnpj", "a", "12.ABC.345/01DE-35", "12.ABC.345/01DE-36"],
  ["mexican_curp", "mi", "HEGG560427MVZRRL04", "HEGG560427MVZRRL05"],
  ["mexican_rfc", "mi", "GODE561231GR8", "GODE561231GR9"],
  ["chilean_rut", "mi", "12.345.678-5", "12.345.678-6"],
  ["vehicle_vin", "drives", "1HGCM82633A004352", "1HGCM82643A004352"],
  ["device_imei", "imei", "490154203237518", "490154203237519"],
  ["phone_number", "at", "+34 612 345 678", "+34 012 345 678 9012 345"],
  ["phone_number", "at", "(415) 555-2671", "(415) 55-267"],
];

test.each(CHECKED)("%s: after %p, %p is valid and %p is not", (entity, before, value, wrong) => {
  expect(findDefault(`${before} ${value} today`)).toContain(`${entity}=${value}`);
  expect(findDefault(`${before} ${wrong} today`)).not.toContain(`${entity}=${wrong}`);
});

test.each<[EntityName, string, string]>([
  ["email", "mail", "jane.o'doe+x@mail.example.co.uk"],
  ["email", "mail", "josé@münchen.example"],
  ["ip_address", "from", "203.0.113.7"],
  ["ip6_address", "from", "2001:db8::8a2e:370:7334"],
  ["mac_address", "nic", "00:1A:2B:3C:4D:5E"],
  ["device_mac", "nic", "001a.2b3c.4d5e"],
  ["uuid", "id", "550e8400-e29b-41d4-a716-446655440000"],
  ["spanish_phone", "móvil", "612 345 678"],
  ["phone_number", "Tel.", "030 901820"],
  ["phone_number", "on", "0650 995 04 94"],
  ["phone_number", "au", "01 42 68 53 00"],
  ["phone_number", "at", "415 555 2671"],
  ["phone_number", "unter", "0151 23456789"],
  ["stripe_key", "key", ["sk", "live", "4eC39HqLyjWDarjtT1zdp7dc"].join("_")],
  ["access_token", "key", ["ghp", "k3Jx9Qm2Zr7Wv5Tn8Lb4Hd6Fc1Gs0PyUaEeI"].join("_")],
  ["api_key", "key", `AKIA${"IOSFODNN7QWERTZU"}`],
  [
    "jwt_token",
    "is",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
  ],
])("%s is found by its format: after %p, %p", (entity, before, value) => {
  expect(findDefault(`${before} ${value}, thanks`)).toContain(`${entity}=${value}`);
});

test.each([
  ["我的邮箱是ana@example.com，谢谢", "ana@example.com"],
  ["メールはana@example.comです", "ana@example.com"],
  ["写信给 用户@例子.公司", "用户@例子.公司"],
  ["ask ana@example.com—she knows", "ana@example.com"],
  ["her address—ana@example.co.uk—is new", "ana@example.co.uk"],
])("an email address ends at the surrounding words: %p", (text, address) => {
  expect(findDefault(text)).toEqual([`email=${address}`]);
});

/** Ambiguous numbers: found after the first words, not after the last. */
test.each<[EntityName, string, string, string]>([
  ["cvv", "CVV", "123", "page"],
  ["cvv", "código de seguridad", "123", "seguridad"],
  ["bank_account", "my account number is", "12345678", "order"],
  ["bank_account", "Konto", "532013000", "Auftrag"],
  ["passport", "pasaporte", "AAB123456", "pedido"],
  ["passport", "护照号码：", "E12345678", "号码："],
  ["drivers_license", "driver's license", "D1234567", "software license"],
  ["colombian_cc", "cédula", "1.020.304.050", "total"],
  ["argentine_dni", "DNI", "30.123.456", "total"],
  ["peruvian_dni", "DNI", "45678912", "total"],
  ["tax_id", "EIN", "12-3456789", "ein"],
  ["date_of_birth", "born on", "12/03/1984", "due on"],
  ["phone_number", "call me at", "555 0134 22", "we sold"],
  ["swift_bic", "BIC", "DEUTDEFF", "THE"],
  ["spanish_dni", "DNI", "12345678z", "ref"],
])("%s: after %p, %p is found; after %p it is not", (entity, clue, value, other) => {
  expect(findDefault(`${clue} ${value}`)).toContain(`${entity}=${value}`);
  expect(findDefault(`${other} ${value}`)).not.toContain(`${entity}=${value}`);
});

test.each([
  ["after the value", "078051120 is my SSN", "ssn=078051120"],
  ["in a question before it", "What is your SSN number? 078051120", "ssn=078051120"],
  ["in parentheses", "078051120 (SSN)", "ssn=078051120"],
  ["before a value that ends the sentence", "the BIC is DEUTDEFF.", "swift_bic=DEUTDEFF"],
  ["in a list of values", "ssn 078-05-1120 account 12345678", "bank_account=12345678"],
])("a clue word counts %s", (_, text, found) => {
  expect(findDefault(text)).toContain(found);
});

test.each([
  ["bank_account", "my account number at the branch in Soho is", "12345678"],
  ["bank_account", "savings account of the customer:", "12345678"],
  ["bank_account", "Cuenta del cliente:", "12345678"],
  ["phone_number", "Call Dr. Smith at", "4155550134"],
  ["phone_number", "phone (home):", "4155550134"],
  ["phone_number", "我的电话号码是", "13812345678"],
  ["passport", "Passport No.:", "X1234567"],
  ["drivers_license", "driver's license number of the suspect is", "D1234567"],
])("%s: an ambiguous number is found after the linked clue %p", (entity, words, value) => {
  expect(findDefault(`${words} ${value}`)).toContain(`${entity}=${value}`);
});

test.each([
  "The account was created on 2024-05-20 and has 1200345 followers.",
  "Your account was charged 125000 dollars. Account Balance: 1234567",
  "account_id: 123456789012; my account manager said order 4500123456 is late",
  "Call the function with 1234567 as the seed; the call returned 12345678.",
  "Contact support with ticket number 84512239 or https://example.com/issues/1234567",
  "Mobile traffic grew from 1500000 to 2300000; phone sales reached 12 345 678.",
  "The passport office opened in 20190401; VAT is 21 percent on 1234567890",
])("a clue word that is not linked to a number does not count: %p", (text) => {
  expect(findDefault(text)).toEqual([]);
});

test.each([
  ["another value is in between", "passport A1234567 and 87654321", "passport=87654321"],
  ["another sentence starts", "I lost my passport. Order 87654321 is late", "passport=87654321"],
  ["it belongs to the next value", "021000021 account 12345678", "bank_account=021000021"],
])("a clue word does not count if %s", (_, text, found) => {
  expect(findDefault(text)).not.toContain(found);
});

test.each([
  ["password: hunter2x", "hunter2x"],
  ['"password": "letmein!"', "letmein!"],
  ["my password is S3cret!pass.", "S3cret!pass"],
  ["DB_PASSWORD='correct-horse-9'", "correct-horse-9"],
  ["mysql --password hunter2x", "hunter2x"],
  ["postgres://bob:s3cr3t@db.example.com/x", "s3cr3t"],
  ["la contraseña es Gat0negro", "Gat0negro"],
  ["密码: abc12345", "abc12345"],
])("password in %p", (text, value) => {
  expect(findDefault(text)).toEqual([`password=${value}`]);
});

test.each([
  ["api_key", "x-api-key: 9f8a7b6c5d4e3f2a1b0c", "9f8a7b6c5d4e3f2a1b0c"],
  ["api_key", "client_secret = 'Zx81kQ92mmP04tYw77'", "Zx81kQ92mmP04tYw77"],
  ["access_token", "Authorization: Bearer a0Af3x8Zk2Lq9vB7nM", "a0Af3x8Zk2Lq9vB7nM"],
])("%s in %p", (entity, text, value) => {
  expect(findDefault(text)).toEqual([`${entity}=${value}`]);
});

test.each([
  "Version 1.2.3 was released on 2024-05-20 at 10:30:45.",
  "Order #12345678 of 1,234,567 units, up 15% in 2024; phone orders fell.",
  "password: string; password = input('x'); password is wrong; password: <password>",
  "const password = process.env.DB_PASSWORD; hash(password: hashlib.md5(x))",
  'export PWD=/home/user/project2; "PWD": "/srv/app1"; "pbkdf2-password": "1.2.1"',
  "api_key: YOUR_API_KEY_GOES_HERE, token = get_token(request)",
  "git@github.com:owner/repo.git, rsync x user@remote.host:/path, icon@2x.png, react@18.2.0",
  "sha256 of 3f2a9c, int32_t x1, utf8, COVID19, B2B, ISO 8601, RFC 2119, UTF-8",
  "find . -mtime +30 -size +1M; a[i+1]; +1 point; 1-0, 2-3, 11-10-1978",
  "The DATABASE and the KEYBOARD use Swift; we run 12 tests of ein Produkt 123456789",
  "eyJhbGciOiJIUzI1NiJ9 alone is no token, nor is eyJub3QiOiJhIn0.eyJhIjoxfQ.c2ln",
  "https://example.com/status/1234567890123 and 0.1234567890123456",
  "rows 7 5 4 3 4 2 1 2 1 4 6 3 6 1 7 6 6 7 4 1 1 0 4 2 5 0 6 3 1 0 7 6 2 7 7 5 2 7 7 3 2",
  "a fake account &#128554; and a call &#1041204;",
  "a service call is $200-1000",
  "01 02 03 04 05 06 07 08 09 10 11 12, and 1 2 34 55 89 144 233 377 610 987 1597 2584 4181",
  "7f 45 4c 46 02 01 01 00  00 00 00 00; 02 00 3e 00 01 00 00 00  c5 48 40 00",
  "(C) 2016-2020 Endless Mobile, 2017-2022; cell phones 1973-2023; Clause 252.227-7013 of it",
  "U+0390 => 0399 0308 0301",
  "a call of https://example.com/call/13852388/x",
  "524C 525E 5261 525C 84AF 527D 5282 5281 5290 5293\n5421 5457 5459 5423 5432 5482 5494 5477 5471",
  "4111 1111\n1111 1111; Sales 4111 1111\n1111 1111 2019; in 4111\n1111\n1111 1111",
  "Sales 4111 1111\r\n1111 1111\r\n2019 2020",
  "Sales 4111 1111 \n1111 1111 \n2019 2020",
  "Sales 4111 1111\n 1111 1111\n  2019 2020",
  "pages 4111-1111\n1111 1111, 4111 1111-\n1111-1111",
  "north 4111 1111\n1111 1111 north",
  "boxes 100 200 3000, zip 02110-1335, part 0401000-02",
])("nothing is found in %p", (text) => {
  expect(findDefault(text)).toEqual([]);
});

test.each([
  ["a log line", "2024-05-20T10:30:45.123456Z processed 4111111111111111 in 12 ms"],
  ["the line of a log", "Nov 16 10:30:45 host-1 processed 378282246310005 in 12 ms"],
  ["a path", "GET /v1/orders/4111111111111111 200"],
  ["a query", "https://example.com/?cursor=4111111111111111"],
  ["a member named id", '{"order_id": 4111111111111111, "status": "open"}'],
  ["a number with a label", "Order number: 4111111111111111, invoice 415-555-2671"],
  ["a part number", "part no. 415-555-2671, SKU: 0797-754609, serial 123-45-6789"],
  ["a column of identifiers", "4111111111111111\n4111111111111112\n4111111111111113\n"],
  ["columns of identifiers", "a | 4111111111111112 | x\nb | 4111111111111111 | y\n"],
  ["a column named id", "name,id\nana,4111111111111111\nbob,4012888888881881\n"],
  ["a column of part numbers", "415-555-2671\n115-555-2672\n"],
  ["times with microseconds", "call at 10:30:01.325716, contact 08:28:01.325716"],
  ["an identifier with letters", "phone 7b1f-0415-555-2671, account ab12-12345678"],
  ["a UUID", "ba0964cd-fd0a-4ae0-84da-1d488a02776d account 04155552-6714-4155-9552-671415555267"],
  ["a trace", "call 00-4bf92f3577b34da6a3ce929d0e0e4736-0000612345678901-01"],
])("a value that resembles personal data is not reported in %s", (_, text) => {
  expect(findDefault(text).filter((found) => !found.startsWith("uuid"))).toEqual([]);
});

test.each([
  ["alone", "4111111111111111"],
  ["in prose", "Please use 4111111111111111 for this."],
  ["after a number word", "The number is 4111111111111111"],
  ["in a list of cards", "4111111111111111\n4012888888881881\n"],
  ["in a log line that names it", "2024-05-20T10:30:45Z card=4111111111111111 declined"],
  ["in a column that names it", "name,card\nana,4111111111111111\n"],
  ["in groups, with a label", "Order number: 4111 1111 1111 1111"],
])("a card without groups is found %s", (_, text) => {
  expect(findDefault(text)[0]?.replaceAll(" ", "")).toBe("credit_card=4111111111111111");
});

test.each([
  ["zero-width characters", "4111\u200b1111\u200b1111\u200b1111"],
  ["full-width digits", "４１１１ １１１１ １１１１ １１１１"],
  ["Arabic digits", "٤١١١١١١١١١١١١١١١"],
  ["Devanagari digits", "४१११ ११११ ११११ ११११"],
  ["other dashes and spaces", "4111–1111–1111–1111"],
])("a card with %s is found at its location in the original", (_, card) => {
  expect(findDefault(`é ${card} é`)).toEqual([`credit_card=${card}`]);
});

test.each<[string, string, string, EntityName]>([
  ["/params/arguments/ssn", "", "078051120", "ssn"],
  ["/messages/0/tool_calls/0/function/arguments", "/userPassword", "hunter2x", "password"],
  ["/messages/0/tool_calls/0/function/arguments", "/phones/0", "555 0134 22", "phone_number"],
])("the field name of tool data is a clue: %s%s", (pointer, inner, value, entity) => {
  expect(
    hits(value, { source: "tool_arguments", pointer, inner: inner || pointer }),
  ).toContainEqual(expect.objectContaining({ entity, text: value }));
  expect(findDefault(value)).toEqual([]);
});

test("the entities of a segment are computed once", () => {
  const one = createSegment("mail jane@example.com", "user", { pointer: "/input" });

  expect(findEntities(one)).toBe(findEntities(one));
});
