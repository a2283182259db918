import { expect, test } from "bun:test";
import { createSegment } from "../segment.ts";
import { DEFAULT_CONFIDENCE, type EntityName } from "./entities.ts";
import { findEntities } from "./find-entities.ts";

/** Returns the entities above the default minimum confidence. */
const findDefault = (text: string) =>
  findEntities(createSegment(text, "user", { pointer: "/input" }))
    .filter(({ confidence }) => confidence >= DEFAULT_CONFIDENCE)
    .map(({ entity, start, end }) => `${entity}=${text.slice(start, end)}`);

/** A clue word, a value, and the value with a wrong check digit or date. */
const NUMBERS: [entity: EntityName, clue: string, value: string, wrong: string][] = [
  ["us_npi", "NPI", "1578346854", "1578346850"],
  ["us_npi", "national provider identifier", "1578346854", "1578346850"],
  ["us_dea", "DEA", "BS6507858", "BS6507850"],
  ["us_itin", "ITIN", "983707054", "983007054"],
  ["canadian_sin", "social insurance number", "259-116-119", "259-116-110"],
  ["argentine_cuit", "CUIT", "20-38127092-1", "20-38127092-0"],
  ["british_nhs", "NHS number", "752 297 0350", "752 297 0351"],
  ["british_nino", "national insurance number", "AB123456C", "AB123456E"],
  ["british_utr", "unique taxpayer reference", "9553161792", "9553161790"],
  ["irish_pps", "PPS number", "6195037S", "6195037A"],
  ["swedish_personnummer", "personnummer", "8112186773", "8112186770"],
  ["swedish_orgnr", "orgnr", "556100-0935", "556100-0930"],
  ["finnish_hetu", "henkilötunnus", "131052-401T", "131052-401A"],
  ["danish_cpr", "CPR", "211062-5629", "211362-5629"],
  ["norwegian_fnr", "fødselsnummer", "15108669001", "15108669000"],
  ["icelandic_kennitala", "kennitala", "120174-5929", "120174-5909"],
  ["dutch_bsn", "burgerservicenummer", "489545415", "489545410"],
  ["belgian_nn", "rijksregisternummer", "85073091647", "85073091640"],
  ["swiss_ahv", "AHV", "7568879474351", "7568879474350"],
  ["austrian_svnr", "Sozialversicherungsnummer", "2188 180275", "2188 180270"],
  ["german_tax_id", "Steuer-ID", "34810752208", "34810752200"],
  ["german_svnr", "Rentenversicherungsnummer", "65180539W648", "65180539W640"],
  ["german_health_insurance", "Versichertennummer", "A331830444", "A331830440"],
  ["portuguese_nif", "NIF", "205757480", "205757481"],
  ["italian_vat", "partita IVA", "00743117905", "00743117900"],
  ["italian_id_card", "carta d'identità", "CA12345AB", "CA1234ABC"],
  ["polish_pesel", "PESEL", "44051490287", "44051490280"],
  ["polish_nip", "NIP", "594-419-26-50", "594-419-26-51"],
  ["polish_id_card", "dowód osobisty", "ABA856819", "ABA856810"],
  ["czech_rc", "rodné číslo", "710319/2591", "710319/2590"],
  ["romanian_cnp", "CNP", "1630615120566", "1630615120560"],
  ["bulgarian_egn", "ЕГН", "7523163028", "7523163020"],
  ["croatian_oib", "OIB", "30670144610", "30670144611"],
  ["estonian_ik", "isikukood", "36805254120", "36805254121"],
  ["lithuanian_ak", "asmens kodas", "33309188798", "33309188790"],
  ["greek_amka", "AMKA", "01013998289", "01013998280"],
  ["turkish_tckn", "kimlik", "10743673270", "10743673271"],
  ["russian_snils", "СНИЛС", "112-233-602 90", "112-233-602 91"],
  ["russian_inn", "ИНН", "508390037273", "508390037270"],
  ["indian_aadhaar", "Aadhaar", "2559 2028 0988", "2559 2028 0980"],
  ["indian_pan", "PAN", "ABCPE1234F", "ABCXE1234F"],
  ["indian_voter_id", "voter card", "ABC1234567", "ABC123456"],
  ["australian_tfn", "tax file number", "184 939 627", "184 939 620"],
  ["australian_abn", "ABN", "51 017 217 905", "51 017 217 900"],
  ["australian_acn", "ACN", "004 756 218", "004 756 210"],
  ["australian_medicare", "Medicare", "2219 13051 6", "2219 13050 6"],
  ["singaporean_uen", "UEN", "199818217Z", "199818217A"],
  ["korean_rrn", "resident registration", "8403151310275", "8403150310275"],
  ["korean_brn", "BRN", "116-82-93120", "116-82-93121"],
  ["hong_kong_id", "HKID", "A9740026", "A9740020"],
  ["taiwanese_id", "身分證", "A944370655", "A944370650"],
  ["japanese_my_number", "マイナンバー", "574972079380", "574972079381"],
  ["thai_id", "Thai", "1703516241707", "1703516241700"],
  ["malaysian_nric", "MyKad", "770305021234", "770300021234"],
  ["indonesian_nik", "NIK", "3171013101619356", "3171013100619356"],
  ["israeli_id", "teudat zehut", "642093967", "642093960"],
  ["south_african_id", "South African ID", "7503305044014", "7503305044010"],
];

test.each(NUMBERS)(
  "%s: with %p in the sentence, %p is valid and %p is not",
  (entity, clue, value, wrong) => {
    const found = `${entity}=${value}`;
    expect(
      findDefault(`The ${clue} we have on file for this person reads ${value} today`),
    ).toContain(found);
    expect(findDefault(`We filed ${value} and this was her ${clue}`)).toContain(found);
    expect(
      findDefault(`The ${clue} we have on file for this person reads ${wrong} today`),
    ).not.toContain(`${entity}=${wrong}`);
  },
);

test.each<[EntityName, string, string]>([
  ["us_itin", "983-70-7054", "983-00-7054"],
  ["british_nino", "AB 12 34 56 C", "AB 12 34 56 E"],
  ["swedish_personnummer", "811218-6773", "811218-6770"],
  ["finnish_hetu", "131052-401T", "131052-401A"],
  ["belgian_nn", "85.07.30-916.47", "85.07.30-916.40"],
  ["swiss_ahv", "756.8879.4743.51", "756.8879.4743.50"],
  ["german_svnr", "65 180539 W 648", "65 180539 W 640"],
  ["indian_gstin", "27AAPFU0939F1ZV", "27AAPFU0939F1ZA"],
  ["singaporean_nric", "S7782273I", "S7782273A"],
  ["korean_rrn", "840315-1310275", "841315-1310275"],
  ["chinese_id", "110105194912314354", "110105194912314350"],
  ["hong_kong_id", "A974002(6)", "A974002(0)"],
  ["thai_id", "1-7035-16241-70-7", "1-7035-16241-70-0"],
  ["malaysian_nric", "770305-02-1234", "770300-02-1234"],
  ["pakistani_cnic", "42101-1234567-1", "82101-1234567-1"],
  ["emirates_id", "784-1984-5085202-9", "784-1984-5085202-0"],
])("%s: without a clue, %p is valid and %p is not", (entity, value, wrong) => {
  expect(findDefault(`we filed ${value} today`)).toContain(`${entity}=${value}`);
  expect(findDefault(`we filed ${wrong} today`)).not.toContain(`${entity}=${wrong}`);
});

test.each(NUMBERS)(
  "%s: a number that %p is not in the sentence of is not reported: %p",
  (entity, clue, value) => {
    const text = `Ask for the ${clue} tomorrow, then call back. We counted 3 boxes and sold ${value.replace(/[A-Z]/g, "7")} units`;

    expect(findDefault(text).filter((found) => found.startsWith(entity))).toEqual([]);
  },
);

test.each([
  ["MRN: 00482913", "00482913"],
  ["medical record number is 4482913", "4482913"],
  ["MRN 12-34-56", "12-34-56"],
  ["Patient ID: H-4482913", "H-4482913"],
  ["seen today, MRN-00482913, stable", "MRN-00482913"],
  ["chart number of the patient: 448291", "448291"],
  ["mrn,name\n4482913,ana\n4482914,bob\n", "4482914"],
])("a medical record number is found in %p", (text, value) => {
  expect(findDefault(text)).toContain(`medical_record=${value}`);
});

test("a provider number with a wrong check digit is found after its label only", () => {
  expect(findDefault("NPI: 1234567890")).toContain("us_npi=1234567890");
  expect(findDefault("The NPI is wrong, we got 1234567890 letters")).toEqual([]);
});

test.each([
  ["DOB: Mar 3, 1984", "Mar 3, 1984"],
  ["She was born on 3 March 1984 in Leeds", "3 March 1984"],
  ["born on the 3rd of March, 1984", "3rd of March, 1984"],
  ["date of birth 03-Mar-1984", "03-Mar-1984"],
  ["birthday: 1984 March 3", "1984 March 3"],
  ["Sept. 3, 1984 is my birthday", "Sept. 3, 1984"],
  ["nacida el 3 de marzo de 1984", "3 de marzo de 1984"],
  ["née le 1er août 1984", "1er août 1984"],
  ["geboren am 3. März 1984", "3. März 1984"],
  ["nata il 3 marzo 1984", "3 marzo 1984"],
  ["nascido em 3 de março de 1984", "3 de março de 1984"],
  ["geboortedatum: 3 maart 1984", "3 maart 1984"],
  ["生年月日：1984年3月3日", "1984年3月3日"],
])("a date of birth with the name of the month: %p", (text, value) => {
  expect(findDefault(text)).toContain(`date_of_birth=${value}`);
});

test.each([
  "The release of March 3, 2024 fixed it; on 3 April 2024 we may 3 times",
  "In May 1984 prices rose; she may be born soon. Delivery on 3 May 2025",
])("a date is not a date of birth without a clue: %p", (text) => {
  expect(findDefault(text)).toEqual([]);
});

test.each([
  ["passport", "The passport that he showed us at the counter was X1234567", "X1234567"],
  ["drivers_license", "A driver's license was shown, it reads D12345678", "D12345678"],
  ["passport", "Her passport, which we got from the old system, should be 775823308.", "775823308"],
  [
    "drivers_license",
    "They called about my driving license and I gave them 160329059.",
    "160329059",
  ],
  ["medical_record", "Could you update the patient ID on my profile? It's 6783334.", "6783334"],
  ["device_imei", "354946465792766 is what she gave us for the IMEI.", "354946465792766"],
  ["routing_number", "We checked the routing data today and 021000021 matches it.", "021000021"],
  [
    "bank_account",
    "The account number listed for the new employee in the portal of the bank is 12345678.",
    "12345678",
  ],
  ["phone_number", "Leave a voicemail at 374 780 163", "374 780 163"],
  ["license_plate", "license plate: KA 01 AB 1234", "KA 01 AB 1234"],
  ["license_plate", "vehicle registration AB12 CDE", "AB12 CDE"],
  ["drivers_license", "운전면허 11-12-345678-90", "11-12-345678-90"],
  [
    "ssn",
    "Her social security data was checked last week and 078051120 was confirmed",
    "078051120",
  ],
])("%s: a clue counts anywhere in the sentence: %p", (entity, text, value) => {
  expect(findDefault(text)).toContain(`${entity}=${value}`);
});

test.each([
  ["medical_record", '{"medicalRecordNumber": "4482913"}', "4482913"],
  ["routing_number", "firstName;routingNumber\nAnn;021000021\n", "021000021"],
  ["british_nino", "name,nationalInsuranceNumber\nAnn,AB123456C\n", "AB123456C"],
  ["us_npi", "providerId=1578346854", "1578346854"],
])("%s: a name with inner capitals is a clue: %p", (entity, text, value) => {
  expect(findDefault(text)).toContain(`${entity}=${value}`);
});

test.each([
  "I bought an iPhone 20240501 and the total of my passport fees is 1234567.",
  "We need a passport, and the year was 20240501 in the file.",
  "The driver's license office gave them 1500000 people applied, an amount of 1500000.",
])("a number that is not stated to be the document is not reported: %p", (text) => {
  expect(findDefault(text)).toEqual([]);
});
