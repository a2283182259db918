/** Which kinds of personal data and credentials data loss prevention knows, and how each is masked. */

interface EntityFacts {
  /** What stands in `[MASKED_…]`; the upper-cased name where it is left out. */
  mask?: string;
  /** Gives access to something, rather than telling about somebody. */
  secret?: true;
  /** Ordinary in technical text or public: found only where settings ask for it. */
  ordinary?: true;
}

const TABLE = {
  api_key: { secret: true },
  access_token: { secret: true },
  jwt_token: { secret: true },
  stripe_key: { secret: true },
  password: { secret: true },
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
  isin: { ordinary: true },
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
  tax_id: {},
  drivers_license: { mask: "LICENSE" },
  passport: {},
  vehicle_vin: {},
  device_imei: {},
  device_mac: { ordinary: true },
  mac_address: { ordinary: true },
  ip_address: { ordinary: true },
  ip6_address: { ordinary: true },
  uuid: { ordinary: true },
} as const satisfies Record<string, EntityFacts>;

export type EntityName = keyof typeof TABLE;

export interface EntityHit {
  entity: EntityName;
  start: number;
  end: number;
  /** 0 to 1. Below 0.5: it passes a check, but nothing nearby says that it is one. */
  confidence: number;
}

/** In the order in which they win where two claim the same characters with the same confidence. */
export const ENTITY_NAMES = Object.keys(TABLE) as [EntityName, ...EntityName[]];

const FACTS: Readonly<Record<EntityName, EntityFacts>> = TABLE;

export const isSecret = (entity: EntityName) => FACTS[entity].secret === true;

/** What is looked for where settings choose nothing. */
export const USUAL_ENTITIES = ENTITY_NAMES.filter((name) => FACTS[name].ordinary !== true);

/** In `[MASKED_…]` and in pseudonyms. */
export const maskName = (entity: EntityName) => FACTS[entity].mask ?? entity.toUpperCase();
