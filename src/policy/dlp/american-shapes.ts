/** Numbers that the states of the Americas give people and companies. */
import { bare, isOneDigit, weighted } from "./checksums.ts";
import { type Shape, upTo, written } from "./shape.ts";

export const AMERICAN_SHAPES: readonly Shape[] = [
  {
    entity: "ssn",
    first: "digit",
    opens: [3],
    end: written(/\d{3}-\d{2}-\d{4}/, isSsn),
    alone: 0.85,
    near: 0.97,
  },
  {
    entity: "ssn",
    first: "digit",
    opens: [3],
    end: written(/\d{3}([ .])\d{2}\1\d{4}/, isSsn),
    alone: 0.4,
    near: 0.9,
  },
  { entity: "ssn", first: "digit", opens: [9], end: written(/\d{9}/, isSsn), alone: 0, near: 0.8 },
  {
    entity: "us_medicare",
    first: "digit",
    opens: [4, 11],
    end: written(
      /[1-9][AC-HJKMNPQRT-Y][0-9AC-HJKMNPQRT-Y]\d(-?)[AC-HJKMNPQRT-Y][0-9AC-HJKMNPQRT-Y]\d\1[AC-HJKMNPQRT-Y]{2}\d{2}/,
    ),
    alone: 0.85,
    near: 0.97,
  },
  {
    entity: "brazilian_cpf",
    first: "digit",
    opens: [3],
    end: written(/\d{3}\.\d{3}\.\d{3}-\d{2}/, isCpf),
    alone: 0.95,
    near: 0.98,
  },
  {
    entity: "brazilian_cpf",
    first: "digit",
    opens: [9, 11],
    end: written(/\d{9}-?\d{2}/, isCpf),
    alone: 0.4,
    near: 0.9,
  },
  {
    // Letters are in use since July 2026.
    entity: "brazilian_cnpj",
    first: "either",
    opens: [2],
    end: written(/[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}\/[0-9A-Z]{4}-\d{2}/, isCnpj),
    alone: 0.95,
    near: 0.98,
  },
  {
    entity: "brazilian_cnpj",
    first: "either",
    opens: [14],
    end: written(/[0-9A-Z]{12}\d{2}/, isCnpj),
    alone: 0.4,
    near: 0.9,
  },
  {
    entity: "mexican_curp",
    first: "letter",
    opens: [18],
    end: written(
      /[A-Z][AEIOUX][A-Z]{2}\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[HMX](?:A[SG]|B[CS]|C[SHLM]|D[FG]|G[TR]|HG|JC|M[CNS]|N[ETL]|OC|PL|Q[TR]|S[PLR]|T[CSL]|VZ|YN|ZS)[B-DF-HJ-NP-TV-Z]{3}[0-9A-Z]\d/i,
      isCurp,
    ),
    alone: 0.98,
    near: 0.99,
  },
  {
    entity: "mexican_rfc",
    first: "letter",
    opens: [3, 4, 12, 13],
    end: written(
      /[A-ZÑ]{3,4}(-?)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\1[0-9A-Z]{2}[0-9A]/i,
      isRfc,
    ),
    alone: 0.85,
    near: 0.97,
  },
  {
    entity: "chilean_rut",
    first: "digit",
    opens: [1, 2],
    end: written(/\d{1,2}\.\d{3}\.\d{3}-[0-9Kk]/, isRut),
    alone: 0.9,
    near: 0.97,
  },
  {
    entity: "chilean_rut",
    first: "digit",
    opens: [7, 8],
    end: written(/\d{7,8}-[0-9Kk]/, isRut),
    alone: 0.4,
    near: 0.9,
  },
  {
    entity: "colombian_cc",
    first: "digit",
    opens: [1, 2, ...upTo(6, 10)],
    end: written(/\d{6,10}|\d{1,2}\.\d{3}\.\d{3}|1\.\d{3}\.\d{3}\.\d{3}/),
    alone: 0,
    near: 0.7,
    unmarked: true,
  },
  {
    entity: "argentine_dni",
    first: "digit",
    opens: [1, 2, 7, 8],
    end: written(/\d{1,2}\.\d{3}\.\d{3}|\d{7,8}/),
    alone: 0,
    near: 0.7,
    unmarked: true,
  },
  {
    entity: "peruvian_dni",
    first: "digit",
    opens: [8],
    end: written(/\d{8}(?:-\d)?/),
    alone: 0,
    near: 0.7,
    unmarked: true,
  },
];

/** Areas, groups and serials that the Social Security Administration never gave out. */
function isSsn(matched: string): boolean {
  const digits = bare(matched);
  return !/^(?:000|666|9)|^...00|0000$/.test(digits) && !isOneDigit(digits);
}

const mod11 = (characters: string, weights: readonly number[], value?: (one: string) => number) => {
  const rest = weighted(characters, weights, value) % 11;
  return rest < 2 ? 0 : 11 - rest;
};

function isCpf(matched: string): boolean {
  const digits = bare(matched);
  return (
    !isOneDigit(digits) &&
    mod11(digits.slice(0, 9), [10, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(digits.charAt(9)) &&
    mod11(digits.slice(0, 10), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) === Number(digits.charAt(10))
  );
}

function isCnpj(matched: string): boolean {
  const characters = bare(matched);
  const value = (one: string) => one.charCodeAt(0) - 48;
  const weights = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  return (
    !isOneDigit(characters) &&
    mod11(characters.slice(0, 12), weights, value) === Number(characters.charAt(12)) &&
    mod11(characters.slice(0, 13), [6, ...weights], value) === Number(characters.charAt(13))
  );
}

const CURP_ORDER = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ";

function isCurp(matched: string): boolean {
  const code = matched.toUpperCase();
  let sum = 0;
  for (let at = 0; at < 17; at++) sum += CURP_ORDER.indexOf(code.charAt(at)) * (18 - at);
  return (10 - (sum % 10)) % 10 === Number(code.charAt(17));
}

const RFC_ORDER = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ";

/** A company's code is one letter shorter, and counts as if a space stood in front. */
function isRfc(matched: string): boolean {
  const code = matched.replaceAll("-", "").toUpperCase().padStart(13, " ");
  let sum = 0;
  for (let at = 0; at < 12; at++) sum += RFC_ORDER.indexOf(code.charAt(at)) * (13 - at);
  return "0A987654321".charAt(sum % 11) === code.charAt(12);
}

function isRut(matched: string): boolean {
  const characters = bare(matched).toUpperCase();
  const reversed = [...characters.slice(0, -1)].reverse().join("");
  const check = 11 - (weighted(reversed, [2, 3, 4, 5, 6, 7]) % 11);
  return characters.at(-1) === (check === 11 ? "0" : check === 10 ? "K" : String(check));
}
