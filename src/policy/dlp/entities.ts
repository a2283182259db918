/** Kinds of personal data and credentials that data loss prevention finds, and their masks. */
import type { TextSpan } from "../views/source-map.ts";

interface EntityProperties {
  /** Label in `[MASKED_…]`. Default: the name in upper case. */
  mask?: string;
  /** True for credentials, as opposed to personal data. */
  isSecret?: true;
  /** True if it is common in technical text or public: found only if settings enable it. */
  isOptIn?: true;
  /** True for names, which a learned model finds: only if settings list it. `apply_all` does not include it. */
  isName?: true;
}

const ENTITIES = {
  api_key: { isSecret: true },
  access_token: { isSecret: true },
  jwt_token: { isSecret: true },
  stripe_key: { isSecret: true },
  password: { isSecret: true },
  email: {},
  spanish_phone: {},
  phone_number: {},
  date_of_birth: {},
  credit_card: { mask: "CC" },
  cvv: {},
  spanish_iban: { mask: "IBAN" },
  iban: {},
  swift_bic: { mask: "BIC" },
  routing_number: { mask: "ROUTING" },
  bank_account: { mask: "ACCOUNT" },
  crypto_wallet: {},
  isin: { isOptIn: true },
  ssn: {},
  us_medicare: {},
  spanish_dni: {},
  spanish_nie: {},
  spanish_cif: {},
  spanish_nss: {},
  french_nir: {},
  german_id: {},
  italian_cf: {},
  brazilian_cpf: {},
  brazilian_cnpj: {},
  mexican_curp: {},
  mexican_rfc: {},
  chilean_rut: {},
  colombian_cc: {},
  argentine_dni: {},
  peruvian_dni: {},
  us_itin: {},
  us_npi: {},
  us_dea: {},
  medical_record: { mask: "MRN" },
  canadian_sin: {},
  argentine_cuit: {},
  british_nhs: {},
  british_nino: {},
  british_utr: {},
  irish_pps: {},
  german_tax_id: {},
  german_svnr: {},
  german_health_insurance: {},
  austrian_svnr: {},
  swiss_ahv: {},
  italian_vat: {},
  italian_id_card: {},
  portuguese_nif: {},
  dutch_bsn: {},
  belgian_nn: {},
  swedish_personnummer: {},
  swedish_orgnr: {},
  finnish_hetu: {},
  danish_cpr: {},
  norwegian_fnr: {},
  icelandic_kennitala: {},
  estonian_ik: {},
  lithuanian_ak: {},
  polish_pesel: {},
  polish_nip: {},
  polish_id_card: {},
  czech_rc: {},
  romanian_cnp: {},
  bulgarian_egn: {},
  croatian_oib: {},
  greek_amka: {},
  turkish_tckn: {},
  russian_snils: {},
  russian_inn: {},
  indian_pan: {},
  indian_aadhaar: {},
  indian_gstin: {},
  indian_voter_id: {},
  pakistani_cnic: {},
  australian_tfn: {},
  australian_abn: {},
  australian_acn: {},
  australian_medicare: {},
  singaporean_nric: {},
  singaporean_uen: {},
  malaysian_nric: {},
  indonesian_nik: {},
  thai_id: {},
  korean_rrn: {},
  korean_brn: {},
  chinese_id: {},
  hong_kong_id: {},
  taiwanese_id: {},
  japanese_my_number: {},
  israeli_id: {},
  emirates_id: {},
  south_african_id: {},
  nigerian_nin: {},
  tax_id: {},
  drivers_license: { mask: "LICENSE" },
  passport: {},
  license_plate: { mask: "PLATE" },
  vehicle_vin: {},
  device_imei: {},
  device_mac: { isOptIn: true },
  mac_address: { isOptIn: true },
  ip_address: { isOptIn: true },
  ip6_address: { isOptIn: true },
  uuid: { isOptIn: true },
  person_name: { mask: "PERSON", isName: true },
  location: { isName: true },
  organization: { isName: true },
} as const satisfies Record<string, EntityProperties>;

export type EntityName = keyof typeof ENTITIES;

export interface EntityHit extends TextSpan {
  entity: EntityName;
  /** The complete value, if this is one line of it. */
  whole?: TextSpan;
  /** 0 to 1. Below 0.5, the value passes a check but has no clue nearby. */
  confidence: number;
}

/** Minimum confidence of a reported entity, unless settings change it. */
export const DEFAULT_CONFIDENCE = 0.5;

/** In order of precedence for the same characters and confidence. */
export const ENTITY_NAMES = Object.keys(ENTITIES) as [EntityName, ...EntityName[]];

const PROPERTIES: Readonly<Record<EntityName, EntityProperties>> = ENTITIES;

export const isSecretEntity = (entity: EntityName) => PROPERTIES[entity].isSecret === true;

export const isNameEntity = (entity: EntityName) => PROPERTIES[entity].isName === true;

/** Entities that are found unless settings select others. */
export const DEFAULT_ENTITIES = ENTITY_NAMES.filter(
  (name) => PROPERTIES[name].isOptIn !== true && !isNameEntity(name),
);

/** Returns the label for `[MASKED_…]` and for pseudonyms. */
export const toMaskLabel = (entity: EntityName) => PROPERTIES[entity].mask ?? entity.toUpperCase();
