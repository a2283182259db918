/** Numbers that European states give people and companies. */
import { bare, isOneDigit, remainder, weighted } from "./checksums.ts";
import { type Shape, written } from "./shape.ts";

export const EUROPEAN_SHAPES: readonly Shape[] = [
  {
    entity: "spanish_dni",
    first: "digit",
    opens: [2, 8, 9],
    end: written(/\d{8}[ -]?[A-Z]|\d{2}\.\d{3}\.\d{3}[ -]?[A-Z]/, isDni),
    alone: 0.75,
    near: 0.95,
  },
  {
    entity: "spanish_dni",
    first: "digit",
    opens: [8, 9],
    end: written(/\d{8}-?[a-z]/, isDni),
    alone: 0,
    near: 0.85,
  },
  {
    entity: "spanish_nie",
    first: "letter",
    opens: [1, 8, 9],
    end: written(/[XYZxyz][ -]?\d{7}[ -]?[A-Za-z]/, (matched) =>
      isDni(matched.replace(/^./, (first) => String("XYZ".indexOf(first.toUpperCase())))),
    ),
    alone: 0.85,
    near: 0.97,
  },
  {
    entity: "spanish_cif",
    first: "letter",
    opens: [1, 8, 9],
    end: written(/[ABCDEFGHJNPQRSUVW][ -]?\d{7}[ -]?[0-9A-J]/, isCif),
    alone: 0.4,
    near: 0.9,
  },
  {
    entity: "spanish_nss",
    first: "digit",
    opens: [2],
    end: written(/\d{2}\/\d{7,8}\/\d{2}|\d{2}([ -])\d{7,8}\1\d{2}/, isNss),
    alone: 0.8,
    near: 0.95,
  },
  {
    entity: "spanish_nss",
    first: "digit",
    opens: [11, 12],
    end: written(/\d{11,12}/, isNss),
    alone: 0,
    near: 0.9,
  },
  {
    entity: "french_nir",
    first: "digit",
    opens: [1, 3, 5, 7, 10, 13, 15],
    end: written(
      /[12378] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}/,
      isNir,
    ),
    alone: 0.85,
    near: 0.97,
  },
  {
    entity: "german_id",
    first: "letter",
    opens: [10],
    end: written(/[CFGHJKLMNPRTVWXYZ][0-9CFGHJKLMNPRTVWXYZ]{8}\d/, isGermanId),
    alone: 0.4,
    near: 0.9,
  },
  {
    // Without its check digit, as it is printed in the corner of the card.
    entity: "german_id",
    first: "letter",
    opens: [9],
    end: written(/[CFGHJKLMNPRTVWXYZ](?=[A-Z]*\d)[0-9CFGHJKLMNPRTVWXYZ]{8}/),
    alone: 0,
    near: 0.7,
  },
  {
    entity: "italian_cf",
    first: "letter",
    opens: [16],
    end: written(
      /[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]/i,
      isCodiceFiscale,
    ),
    alone: 0.98,
    near: 0.99,
  },
];

function isDni(matched: string): boolean {
  const characters = bare(matched).toUpperCase();
  const number = Number(characters.slice(0, -1));
  return number > 0 && "TRWAGMYFPDXBNJZSQVHLCKE".charAt(number % 23) === characters.at(-1);
}

/** Companies of some letters close with a letter, others with a digit, the rest with either. */
function isCif(matched: string): boolean {
  const characters = bare(matched);
  const digits = characters.slice(1, 8);
  let sum = 0;
  for (let at = 0; at < 7; at++) {
    const digit = Number(digits.charAt(at));
    const doubled = digit * 2;
    sum += at % 2 === 1 ? digit : Math.floor(doubled / 10) + (doubled % 10);
  }
  const check = (10 - (sum % 10)) % 10;
  const last = characters.charAt(8);
  const asDigit = last === String(check);
  const asLetter = last === "JABCDEFGHI".charAt(check);
  const kind = characters.charAt(0);
  if ("PQRSNW".includes(kind)) return asLetter;
  if ("ABEH".includes(kind)) return asDigit;
  return asDigit || asLetter;
}

function isNss(matched: string): boolean {
  const digits = bare(matched);
  if (isOneDigit(digits)) return false;
  const province = Number(digits.slice(0, 2));
  if (province < 1 || (province > 53 && province !== 66)) return false;
  const number = Number(digits.slice(2, -2));
  const body = number < 10_000_000 ? number + province * 10_000_000 : Number(digits.slice(0, -2));
  return body % 97 === Number(digits.slice(-2));
}

function isNir(matched: string): boolean {
  // Corsica counts as departments 19 and 18.
  const digits = bare(matched).replace("2A", "19").replace("2B", "18");
  return 97 - remainder(digits.slice(0, 13), 97) === Number(digits.slice(13));
}

function isGermanId(characters: string): boolean {
  const sum = weighted(characters.slice(0, 9), [7, 3, 1], (one) => Number.parseInt(one, 36));
  return sum % 10 === Number(characters.at(-1)) && /\d/.test(characters.slice(0, 9));
}

const ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

function isCodiceFiscale(matched: string): boolean {
  const code = matched.toUpperCase();
  let sum = 0;
  for (let at = 0; at < 15; at++) {
    const one = Number.parseInt(code.charAt(at), 36);
    const value = one > 9 ? one - 10 : one;
    sum += at % 2 === 0 ? (ODD[value] ?? 0) : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === code.charAt(15);
}
