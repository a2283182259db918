/** Reads texts with labeled personal data, and maps the types of every tool to common ones. */
import { join } from "node:path";
import type { LabeledText } from "../example.ts";
import { readRows, textOf } from "./read-files.ts";

/** Types that are scored, with the names that data sets and tools use for them. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  person: ["PERSON", "person_name", "person", "NAME", "PERSON_NAME"],
  place: ["LOCATION", "GPE", "location", "place"],
  address: ["STREET_ADDRESS", "ADDRESS", "address", "street_address"],
  organization: ["ORGANIZATION", "ORG", "organization"],
  email: ["EMAIL_ADDRESS", "EMAIL", "email"],
  phone: ["PHONE_NUMBER", "PHONE", "phone_number", "spanish_phone"],
  card: ["CREDIT_CARD", "CREDIT_CARD_NUMBER", "credit_card"],
  iban: ["IBAN_CODE", "IBAN", "iban", "spanish_iban"],
  ssn: ["US_SSN", "SSN", "US_SOCIAL_SECURITY_NUMBER", "ssn"],
  ip_address: ["IP_ADDRESS", "IPV4", "IPV6", "ip_address", "ip6_address"],
  drivers_license: ["US_DRIVER_LICENSE", "DRIVING_LICENSE_US", "drivers_license"],
};

const COMMON = new Map(
  Object.entries(TYPES).flatMap(([common, names]) => names.map((name) => [name, common])),
);

/** Returns the common type; undefined if the type is not scored. */
export const commonTypeOf = (name: string): string | undefined =>
  COMMON.get(name) ?? PREFIXES.find(([prefix]) => name.startsWith(prefix))?.[1];

/** OpenRedaction has one type for each country. */
const PREFIXES = [
  ["PHONE_", "phone"],
  ["DRIVING_LICENSE_", "drivers_license"],
  ["ADDRESS_", "address"],
] as const;

interface LabeledValue {
  entity_type: string;
  start_position: number;
  end_position: number;
}

export const readPersonalData =
  (file: string) =>
  async (folder: string): Promise<LabeledText[]> =>
    (await readRows(join(folder, file))).map((row) => ({
      text: textOf(row, "full_text"),
      spans: (row.spans as LabeledValue[]).flatMap(
        ({ entity_type, start_position, end_position }) => {
          const type = commonTypeOf(entity_type);
          return type ? [{ type, start: start_position, end: end_position }] : [];
        },
      ),
    }));
