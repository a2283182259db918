/** Generates fields of forms, rows and JSON: the name of a field says what its value is. */
import type { LabeledSpan, LabeledText } from "./labeled-text.ts";
import type { GenerateName } from "./name-generator.ts";
import type { Random } from "./random.ts";

const list = (text: string) => text.trim().split(/\s*;\s*/);

const FIELDS: Readonly<Record<LabeledSpan["label"], readonly string[]>> = {
  person: list(`
    name; full name; first name; last name; surname; given name; family name; middle name; maiden name; customer; client;
    patient; contact; contact person; author; owner; employee; recipient; sender; manager; assignee; reporter; applicant;
    tenant; passenger; guest; student; teacher; doctor; physician; cardholder; account holder; beneficiary; spouse; father;
    mother; emergency contact; signed by; approved by; created by; reviewer; speaker; nom; prénom; nombre; apellido; nome;
    cognome; Vorname; Nachname; Name; imię; nazwisko; jméno; příjmení; naam; navn; namn
  `),
  location: list(`
    city; town; address; street; country; state; region; county; location; birthplace; place of birth; home address;
    billing address; shipping address; destination; origin; departure; arrival; office; site; ville; pays; adresse; ciudad;
    país; dirección; città; indirizzo; Ort; Stadt; Land; Straße; miasto; město; stad; by
  `),
  organization: list(`
    company; organization; organisation; employer; vendor; supplier; bank; hospital; school; university; merchant; agency;
    insurer; insurance; carrier; publisher; institution; account name; company name; business name; empresa; société;
    entreprise; azienda; Firma; Unternehmen; firma; bedrijf
  `),
};
const SAMPLE = {
  person: ["Anna", "Anna Smith"],
  location: ["Brno", "San Jose", "12 Oak St"],
  organization: ["Acme"],
};

const OTHER_FIELDS = list(`
  status; type; title; color; product; category; plan; role; department; language; currency; rating; subject; priority;
  month; day; message; description; label; mode; theme; state; level; result; reason; event; action; unit; format; method;
  gender; occupation; hobby; species; material; brand; model; version; severity; component; topic; nationality; field
`);

const FORMATS: readonly ((field: string, value: string) => [string, string])[] = [
  (field, value) => [`${field}: `, value],
  (field, value) => [`${capitalize(field)}: `, value],
  (field, value) => [`"${field.replace(/ /g, "_")}": "`, `${value}"`],
  (field, value) => [`${field.replace(/ /g, "_")}: `, value],
  (field, value) => [`${field.replace(/ /g, "_")}=`, value],
  (field, value) => [`<${field.replace(/ /g, "")}>`, `${value}</${field.replace(/ /g, "")}>`],
  (field, value) => [`| ${capitalize(field)} | `, `${value} |`],
  (field, value) => [`${capitalize(field)}\t`, value],
  (field, value) => [`The ${field} is `, `${value}.`],
  (field, value) => [`My ${field} is `, `${value}.`],
];

/** Each text has one to three fields, separated by lines or commas. `words` are values that are not names. */
export function generateForms(
  count: number,
  { generate, random, words }: { generate: GenerateName; random: Random; words: readonly string[] },
): LabeledText[] {
  const { pick, chance } = random;
  return Array.from({ length: count }, () => {
    const format = pick(FORMATS);
    const separator = pick(["\n", "\n", ", ", "; ", " "]);
    const spans: LabeledSpan[] = [];
    let text = "";
    for (let field = 0; field < 1 + random.below(3); field++) {
      const label = chance(0.3) ? undefined : pick(["person", "location", "organization"] as const);
      const name = pick(label ? FIELDS[label] : OTHER_FIELDS);
      const value = label ? generate(pick(SAMPLE[label]), label) : capitalize(pick(words));
      const [before, after] = format(name, value);
      text += (text === "" ? "" : separator) + before;
      if (label) spans.push({ start: text.length, end: text.length + value.length, label });
      text += after;
    }
    return { text, spans };
  });
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
