/** Clue words, which indicate the kind of a value near them, in several languages. */
import type { EntityName } from "./entities.ts";

export interface ClueWord {
  word: string;
  entities: readonly EntityName[];
  /** A password may follow it (`password: …`). */
  precedesPassword?: true;
  /** Pattern that the preceding text in lower case must match, if the word alone is ambiguous. */
  after?: RegExp;
  /** Counts only in upper case or as the name of a column, since it is a common word otherwise: `EIN`, `RUN`. */
  upperCaseOnly?: true;
}

type Row = [entities: readonly EntityName[], words: string, more?: Partial<ClueWord>];

const PHONE: readonly EntityName[] = ["phone_number", "spanish_phone"];

const ROWS: readonly Row[] = [
  [[], "password passwd pwd passphrase passcode pw", { precedesPassword: true }],
  [[], "contraseña senha passwort kennwort wachtwoord пароль", { precedesPassword: true }],
  [[], "密码 パスワード 비밀번호", { precedesPassword: true }],
  [[], "passe", { precedesPassword: true, after: /mot[ _]de[ _]$/ }],

  [["credit_card"], "card cards visa mastercard amex cc kreditkarte tarjeta carte cartão"],
  [["cvv"], "cvv cvv2 cvc cvc2 kartenprüfnummer"],
  [["cvv"], "code", { after: /(?:security|verification)[ _]$/ }],
  [["cvv"], "seguridad segurança sécurité", { after: /c[oó]d(?:e|igo) de $/ }],
  [["iban", "spanish_iban"], "iban"],
  [["swift_bic"], "bic"],
  [["swift_bic"], "swift", { upperCaseOnly: true }],
  [["swift_bic"], "code", { after: /swift[ _/-]$/ }],
  [["routing_number"], "routing rtn"],
  [["routing_number"], "aba", { upperCaseOnly: true }],
  [["bank_account"], "account acct cuenta konto kontonummer compte conta conto rekening"],
  [["bank_account"], "账号 帳號 账户 口座番号 계좌"],
  [["crypto_wallet"], "wallet bitcoin btc eth ethereum litecoin crypto"],
  [["isin"], "isin"],

  [["ssn"], "ssn ssns"],
  [["ssn"], "security", { after: /social[ _-]$/ }],
  [["us_medicare"], "medicare mbi"],
  [["spanish_dni"], "dni nif"],
  [["argentine_dni", "peruvian_dni"], "dni documento"],
  [["spanish_nie"], "nie", { upperCaseOnly: true }],
  [["spanish_cif"], "cif nif"],
  [["spanish_nss"], "nss afiliación afiliacion"],
  [["spanish_nss"], "social", { after: /seguridad[ _]$/ }],
  [["french_nir"], "nir insee"],
  [["french_nir"], "sociale", { after: /s[ée]curit[ée][ _]$/ }],
  [["german_id"], "personalausweis personalausweisnummer ausweis ausweisnummer"],
  [["italian_cf"], "fiscale"],
  [["brazilian_cpf"], "cpf"],
  [["brazilian_cnpj"], "cnpj"],
  [["mexican_curp"], "curp"],
  [["mexican_rfc"], "rfc"],
  [["chilean_rut"], "rut run", { upperCaseOnly: true }],
  [["colombian_cc"], "cédula cedula ciudadanía ciudadania"],
  [["tax_id"], "itin fein vat steuernummer ustid partita"],
  [["tax_id"], "ein tin", { upperCaseOnly: true }],
  [["tax_id"], "id number", { after: /(?:tax|taxpayer|steuer)[ _-]$/ }],
  [["drivers_license"], "führerschein führerscheinnummer conducir conduire"],
  [["drivers_license"], "dl", { upperCaseOnly: true }],
  [["drivers_license"], "license license", { after: /driv\w{0,4}(?:'?s)?'?[ _-]$/ }],
  [["passport"], "passport pasaporte passeport reisepass passaporto passaporte paspoort паспорт"],
  [["passport"], "护照 護照 パスポート 여권"],
  [["date_of_birth"], "dob birthday birthdate birth born nacimiento nacido nacida"],
  [["date_of_birth"], "geboren geburtsdatum naissance née nascita nascimento"],
  [["vehicle_vin"], "vin chassis fahrgestellnummer"],
  [["device_imei"], "imei"],
  [["device_mac", "mac_address"], "mac"],
  [["ip_address", "ip6_address"], "ip ipv4 ipv6"],
  [
    PHONE,
    "phone phones telephone tel mobile cell cellphone call fax whatsapp dial sms hotline contact",
  ],
  [PHONE, "teléfono telefono tlf móvil movil llamar llama llámame telefon telefonnummer"],
  [PHONE, "handynummer rufnummer téléphone cellulare telefone celular telefoon телефон"],
  [PHONE, "电话 電話 手机 手機 전화"],
];

const WORDS: readonly ClueWord[] = ROWS.flatMap(([entities, words, more]) =>
  words.split(" ").map((word) => ({ word, entities, ...more })),
);

/** Words of scripts without spaces, which are found anywhere in text. */
const isUnspaced = ({ word }: ClueWord) => /^[\u3040-\ud7ff]/.test(word);

export const UNSPACED_WORDS: ReadonlyMap<string, ClueWord> = new Map(
  WORDS.filter(isUnspaced).map((clue) => [clue.word, clue]),
);

/** Hashes a character so that upper and lower case of a letter are equal. */
export const addToWordHash = (hash: number, unit: number) =>
  (Math.imul(hash, 31) + (unit | 0x20)) | 0;

const hashWord = (word: string) =>
  Array.from({ length: word.length }, (_, at) => word.charCodeAt(at)).reduce(addToWordHash, 0);

/** All other words by hash, for a fast rejection of ordinary words. */
export const CLUE_WORDS: ReadonlyMap<number, readonly ClueWord[]> = Map.groupBy(
  WORDS.filter((clue) => !isUnspaced(clue)),
  ({ word }) => hashWord(word),
);
