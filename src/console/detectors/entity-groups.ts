/** Groups the kinds of personal data for people who select them: by use and by region. */

interface EntityGroup {
  title: string;
  /** True if the group is detected unless other kinds are selected. */
  isDefault: boolean;
  names: readonly string[];
}

export const ENTITY_GROUPS: readonly EntityGroup[] = [
  {
    title: "Contact and identity",
    isDefault: true,
    names: [
      "email",
      "phone_number",
      "spanish_phone",
      "date_of_birth",
      "passport",
      "drivers_license",
      "tax_id",
      "medical_record",
    ],
  },
  {
    title: "Payment and banking",
    isDefault: true,
    names: [
      "credit_card",
      "cvv",
      "iban",
      "spanish_iban",
      "swift_bic",
      "routing_number",
      "bank_account",
      "crypto_wallet",
    ],
  },
  {
    title: "Credentials",
    isDefault: true,
    names: ["api_key", "access_token", "jwt_token", "stripe_key", "password"],
  },
  {
    title: "Vehicles and devices",
    isDefault: true,
    names: ["license_plate", "vehicle_vin", "device_imei"],
  },
  {
    title: "United States and Canada",
    isDefault: true,
    names: ["ssn", "us_itin", "us_medicare", "us_npi", "us_dea", "canadian_sin"],
  },
  {
    title: "Latin America",
    isDefault: true,
    names: [
      "argentine_cuit",
      "argentine_dni",
      "brazilian_cnpj",
      "brazilian_cpf",
      "chilean_rut",
      "colombian_cc",
      "mexican_curp",
      "mexican_rfc",
      "peruvian_dni",
    ],
  },
  {
    title: "Western and Southern Europe",
    isDefault: true,
    names: [
      "austrian_svnr",
      "belgian_nn",
      "british_nhs",
      "british_nino",
      "british_utr",
      "dutch_bsn",
      "french_nir",
      "german_health_insurance",
      "german_id",
      "german_svnr",
      "german_tax_id",
      "greek_amka",
      "irish_pps",
      "italian_cf",
      "italian_id_card",
      "italian_vat",
      "portuguese_nif",
      "spanish_cif",
      "spanish_dni",
      "spanish_nie",
      "spanish_nss",
      "swiss_ahv",
    ],
  },
  {
    title: "Northern and Eastern Europe",
    isDefault: true,
    names: [
      "bulgarian_egn",
      "croatian_oib",
      "czech_rc",
      "danish_cpr",
      "estonian_ik",
      "finnish_hetu",
      "icelandic_kennitala",
      "lithuanian_ak",
      "norwegian_fnr",
      "polish_id_card",
      "polish_nip",
      "polish_pesel",
      "romanian_cnp",
      "russian_inn",
      "russian_snils",
      "swedish_orgnr",
      "swedish_personnummer",
    ],
  },
  {
    title: "Asia and Oceania",
    isDefault: true,
    names: [
      "australian_abn",
      "australian_acn",
      "australian_medicare",
      "australian_tfn",
      "chinese_id",
      "hong_kong_id",
      "indian_aadhaar",
      "indian_gstin",
      "indian_pan",
      "indian_voter_id",
      "indonesian_nik",
      "japanese_my_number",
      "korean_brn",
      "korean_rrn",
      "malaysian_nric",
      "pakistani_cnic",
      "singaporean_nric",
      "singaporean_uen",
      "taiwanese_id",
      "thai_id",
    ],
  },
  {
    title: "Middle East and Africa",
    isDefault: true,
    names: ["emirates_id", "israeli_id", "nigerian_nin", "south_african_id", "turkish_tckn"],
  },
  {
    title: "Technical and public identifiers",
    isDefault: false,
    names: ["ip_address", "ip6_address", "mac_address", "device_mac", "uuid", "isin"],
  },
  {
    title: "Names, found by a learned model",
    isDefault: false,
    names: ["person_name", "location", "organization"],
  },
];

/** Words of kinds that are abbreviations. */
const ABBREVIATIONS = new Set(
  "abn acn ahv ak amka api bic brn bsn cc cf cif cnic cnp cnpj cpf cpr cuit curp cvv dea dni egn fnr gstin iban id ik imei inn ip isin itin jwt mac nhs nie nif nik nin nino nip nir nn npi nric nss oib pan pesel pps rc rfc rrn rut sin snils ssn svnr swift tckn tfn uen us utr uuid vat vin".split(
    " ",
  ),
);

/** Turns `brazilian_cpf` into "Brazilian CPF". */
export function toEntityLabel(name: string): string {
  const text = name
    .split("_")
    .map((word) => (word === "ip6" ? "IPv6" : ABBREVIATIONS.has(word) ? word.toUpperCase() : word))
    .join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
