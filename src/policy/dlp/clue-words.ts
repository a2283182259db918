/** Clue words, which indicate the kind of a value near them, in several languages. */
import type { EntityName } from "./entities.ts";
import { MONTH_NAMES } from "./month-names.ts";

export interface ClueWord {
  word: string;
  entities: readonly EntityName[];
  /** A password may follow it (`password: …`). */
  precedesPassword?: true;
  /** Pattern that the preceding text in lower case must match, if the word alone is ambiguous. */
  after?: RegExp;
  /** Counts only in upper case or as the name of a column, since it is a common word otherwise: `EIN`, `RUN`. */
  upperCaseOnly?: true;
  /** Name of a month, which may start a date. */
  isMonth?: true;
}

type Row = [entities: readonly EntityName[], words: string, more?: Partial<ClueWord>];

const PHONE: readonly EntityName[] = ["phone_number", "spanish_phone"];

const ROWS: readonly Row[] = [
  [[], "password passwd pwd passphrase passcode pw", { precedesPassword: true }],
  [[], "contraseña senha passwort kennwort wachtwoord пароль", { precedesPassword: true }],
  [[], "密码 パスワード 비밀번호", { precedesPassword: true }],
  [[], "passe", { precedesPassword: true, after: /mot[ _]de[ _]?$/ }],

  [["credit_card"], "card cards visa mastercard amex cc kreditkarte tarjeta carte cartão"],
  [["cvv"], "cvv cvv2 cvc cvc2 kartenprüfnummer"],
  [["cvv"], "code", { after: /(?:security|verification)[ _]?$/ }],
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
  [["ssn"], "security", { after: /social[ _-]?$/ }],
  [["us_medicare"], "medicare mbi"],
  [["spanish_dni"], "dni nif"],
  [["argentine_dni", "peruvian_dni"], "dni documento"],
  [["spanish_nie"], "nie", { upperCaseOnly: true }],
  [["spanish_cif"], "cif nif"],
  [["spanish_nss"], "nss afiliación afiliacion"],
  [["spanish_nss"], "social", { after: /seguridad[ _]?$/ }],
  [["french_nir"], "nir insee"],
  [["french_nir"], "sociale", { after: /s[ée]curit[ée][ _]?$/ }],
  [["german_id"], "personalausweis personalausweisnummer ausweis ausweisnummer"],
  [["italian_cf"], "fiscale"],
  [["brazilian_cpf"], "cpf"],
  [["brazilian_cnpj"], "cnpj"],
  [["mexican_curp"], "curp"],
  [["mexican_rfc"], "rfc"],
  [["chilean_rut"], "rut run", { upperCaseOnly: true }],
  [["colombian_cc"], "cédula cedula ciudadanía ciudadania"],
  [["tax_id"], "fein vat steuernummer ustid partita"],
  [["tax_id"], "ein tin", { upperCaseOnly: true }],
  [["tax_id"], "id number", { after: /(?:tax|taxpayer|steuer)[ _-]?$/ }],
  [["drivers_license"], "führerschein führerscheinnummer conducir conduire"],
  [["drivers_license"], "dl", { upperCaseOnly: true }],
  [
    ["drivers_license"],
    "license licence licenses licences",
    { after: /driv\w{0,4}(?:'?s)?'?[ _-]?$/ },
  ],
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

  [["us_itin", "tax_id"], "itin"],
  [["us_npi"], "npi"],
  [["us_npi"], "identifier number id no", { after: /provider[ _-]?$/ }],
  [["us_dea"], "dea", { upperCaseOnly: true }],
  [["us_dea"], "license licence", { after: /medical[ _-]?$/ }],
  [["medical_record"], "mrn mrns patientid"],
  [["medical_record"], "record records", { after: /(?:medical|patient|health)[ _-]?$/ }],
  [["medical_record"], "id number no", { after: /(?:patient(?:'s)?|hospital|chart|mrn)[ _-]?$/ }],
  [["medical_record"], "chart", { after: /(?:medical|patient)[ _-]?$/ }],
  [["medical_record"], "patientennummer"],
  [["medical_record"], "clínica clinica", { after: /historia[ _]?$/ }],
  [["medical_record"], "médical medical", { after: /dossier[ _]?$/ }],
  [["canadian_sin"], "sin nas", { upperCaseOnly: true }],
  [["canadian_sin"], "insurance", { after: /social[ _-]?$/ }],
  [["argentine_cuit"], "cuit cuil"],
  [["british_nhs"], "nhs"],
  [["british_nino"], "nino", { upperCaseOnly: true }],
  [["british_nino"], "insurance", { after: /national[ _-]?$/ }],
  [["british_utr"], "utr"],
  [["british_utr"], "reference", { after: /taxpayer[ _-]?$/ }],
  [["irish_pps"], "pps ppsn"],
  [["german_tax_id"], "steueridentifikationsnummer steuerid idnr"],
  [["german_tax_id"], "id identifikationsnummer", { after: /steuer[ _-]?$/ }],
  [["german_svnr", "austrian_svnr"], "sozialversicherungsnummer svnr versicherungsnummer"],
  [["german_svnr"], "rentenversicherungsnummer"],
  [["german_health_insurance"], "krankenversichertennummer versichertennummer kvnr"],
  [["swiss_ahv"], "ahv avs"],
  [["swiss_ahv"], "versichertennummer sozialversicherungsnummer"],
  [["italian_vat"], "iva piva"],
  [["italian_vat"], "vat", { upperCaseOnly: true }],
  [["italian_id_card"], "identità identita"],
  [["portuguese_nif"], "nif contribuinte"],
  [["dutch_bsn"], "bsn burgerservicenummer sofinummer"],
  [["belgian_nn"], "rijksregisternummer rijksregister niss insz"],
  [["belgian_nn"], "national", { after: /registre[ _]?$/ }],
  [["swedish_personnummer", "norwegian_fnr"], "personnummer"],
  [["swedish_personnummer"], "samordningsnummer"],
  [["swedish_orgnr"], "organisationsnummer orgnr"],
  [["finnish_hetu"], "hetu henkilötunnus"],
  [["danish_cpr"], "cpr"],
  [["norwegian_fnr"], "fødselsnummer fodselsnummer fnr"],
  [["icelandic_kennitala"], "kennitala"],
  [["estonian_ik"], "isikukood"],
  [["lithuanian_ak"], "kodas"],
  [["polish_pesel"], "pesel"],
  [["polish_nip"], "nip", { upperCaseOnly: true }],
  [["polish_id_card"], "dowód dowodu dowod"],
  [["czech_rc"], "rodné rodne rodného rč"],
  [["romanian_cnp"], "cnp"],
  [["bulgarian_egn"], "egn егн"],
  [["croatian_oib"], "oib"],
  [["greek_amka"], "amka αμκα"],
  [["turkish_tckn"], "tckn kimlik"],
  [["russian_snils"], "snils снилс"],
  [["russian_inn"], "инн"],
  [["russian_inn"], "inn", { upperCaseOnly: true }],
  [["indian_pan"], "pan", { upperCaseOnly: true }],
  [["indian_aadhaar"], "aadhaar aadhar uidai"],
  [["indian_gstin"], "gstin gst"],
  [["indian_voter_id"], "voter"],
  [["indian_voter_id"], "epic", { upperCaseOnly: true }],
  [["pakistani_cnic"], "cnic"],
  [["australian_tfn"], "tfn"],
  [["australian_tfn"], "number", { after: /tax[ _-]?file[ _-]?$/ }],
  [["australian_abn"], "abn"],
  [["australian_acn"], "acn"],
  [["australian_medicare"], "medicare"],
  [["singaporean_nric", "malaysian_nric"], "nric"],
  [["singaporean_nric"], "fin", { upperCaseOnly: true }],
  [["singaporean_uen"], "uen"],
  [["malaysian_nric"], "mykad"],
  [["indonesian_nik"], "nik ktp", { upperCaseOnly: true }],
  [["thai_id"], "thai"],
  [["korean_rrn"], "rrn frn 주민등록번호 외국인등록번호"],
  [["korean_rrn"], "registration", { after: /(?:resident|foreigner)[ _-]?$/ }],
  [["korean_brn"], "brn 사업자등록번호"],
  [["drivers_license"], "patente 운전면허"],
  [["chinese_id"], "身份证"],
  [["chinese_id", "hong_kong_id", "taiwanese_id"], "身份證"],
  [["hong_kong_id"], "hkid"],
  [["taiwanese_id"], "身分證 統一編號"],
  [["japanese_my_number"], "マイナンバー 個人番号"],
  [["israeli_id"], "zehut זהות"],
  [["emirates_id"], "emirates eid"],
  [["south_african_id"], "id", { after: /\b(?:african|rsa|sa)[ _-]$/ }],
  [["nigerian_nin"], "nin", { upperCaseOnly: true }],
  [["license_plate"], "plate plates", { after: /(?:licen[sc]e|number|vehicle)[ _-]?$/ }],
  [["license_plate"], "registration", { after: /(?:vehicle|car)[ _-]?$/ }],
  [["license_plate"], "kennzeichen matrícula matricula targa immatriculation kenteken"],
  [["date_of_birth"], "bday dateofbirth geb né nata nascido nascida geboortedatum födelsedatum"],
  [["date_of_birth"], "urodzenia urodzony urodzona рождения родился родилась"],
  [["date_of_birth"], "生日 出生 生年月日 생년월일"],
  [["credit_card"], "cardnumber creditcard ccnumber kartennummer karte"],
  [["credit_card"], "pan", { upperCaseOnly: true }],
  [PHONE, "phonenumber mobilenumber telefonnr caller dialed answering voicemail 携帯 휴대폰"],
  [["bank_account"], "accountnumber accountno kontonr"],
  [["ssn"], "socialsecurity socialsecuritynumber"],
  [["passport"], "passportnumber passportno reisepassnummer"],
  [["drivers_license"], "driverlicense driverslicense licensenumber licencenumber"],
  [["drivers_license"], "permit", { after: /driving[ _-]?$/ }],
  [["tax_id"], "taxid"],

  [[], MONTH_NAMES.join(" "), { isMonth: true }],
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

export const hashWord = (word: string) =>
  Array.from({ length: word.length }, (_, at) => word.charCodeAt(at)).reduce(addToWordHash, 0);

/** The hash folds the case of Latin letters only. */
const hashSpellings = (word: string) =>
  new Set([word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)].map(hashWord));

/** All other words by hash, for a fast rejection of ordinary words. */
export const CLUE_WORDS: ReadonlyMap<number, readonly ClueWord[]> = new Map(
  Map.groupBy(
    WORDS.filter((clue) => !isUnspaced(clue)).flatMap((clue) =>
      [...hashSpellings(clue.word)].map((hash) => ({ hash, clue })),
    ),
    ({ hash }) => hash,
  )
    .entries()
    .map(([hash, entries]) => [hash, entries.map(({ clue }) => clue)]),
);
