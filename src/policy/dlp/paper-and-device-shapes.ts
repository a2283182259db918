/** Documents of people in any country, vehicles, devices and addresses of machines. */
import { parseIpv6Groups } from "../../lib/http/ip-address.ts";
import { bare, luhn, weighted } from "./checksums.ts";
import { type Shape, upTo, written } from "./shape.ts";

export const PAPER_AND_DEVICE_SHAPES: readonly Shape[] = [
  {
    entity: "passport",
    first: "either",
    opens: upTo(6, 13),
    end: written(
      /[A-Z]{0,3}\d{6,9}|[A-Z]{1,2}\d{2,3}[A-Z]{1,2}\d{3,6}|[CFGHJK][0-9CFGHJKLMNPRTVWXYZ]{8}/i,
      hasDigits,
    ),
    alone: 0,
    near: 0.8,
    unmarked: true,
  },
  {
    entity: "drivers_license",
    first: "either",
    opens: upTo(3, 19),
    end: written(
      /[A-Z]{0,3}\d{5,14}[A-Z]{0,2}|[A-Z]\d{3}(-?)\d{3,4}\1\d{2,5}(?:\1\d{1,3})?|\d{3,4}(-)\d{2,4}\2\d{3,4}|[A-Z9]{5}\d{6}[A-Z9]{2}\d[A-Z]{2}/i,
    ),
    alone: 0,
    near: 0.75,
    unmarked: true,
  },
  {
    // Employer and taxpayer numbers of the United States, value added tax numbers of Europe.
    entity: "tax_id",
    first: "either",
    opens: [2, 3, ...upTo(9, 14)],
    end: written(
      /\d{2}-\d{7}|9\d{2}-\d{2}-\d{4}|[A-Z]{2}[ -]?(?=[0-9A-Z]{0,2}\d{6})[0-9A-Z]{8,12}|\d{9,11}/,
    ),
    alone: 0,
    near: 0.75,
    unmarked: true,
  },
  {
    entity: "date_of_birth",
    first: "digit",
    opens: [1, 2, 4],
    end: written(
      /(?:19|20)\d{2}([-./])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])([-./ ])(?:0?[1-9]|[12]\d|3[01])\2(?:19|20)?\d{2}/,
    ),
    alone: 0,
    near: 0.85,
  },
  {
    entity: "vehicle_vin",
    first: "either",
    opens: [17],
    end: written(/[A-HJ-NPR-Z0-9]{17}/, (vin) => looksLikeVin(vin) && hasVinCheck(vin)),
    alone: 0.75,
    near: 0.97,
  },
  {
    // Only North America and China demand the check digit.
    entity: "vehicle_vin",
    first: "either",
    opens: [17],
    end: written(/[A-HJ-NPR-Z0-9]{17}/i, looksLikeVin),
    alone: 0,
    near: 0.8,
  },
  {
    entity: "device_imei",
    first: "digit",
    opens: [2, 15],
    end: written(/\d{15}|\d{2}([ -])\d{6}\1\d{6}\1\d/, (matched) => luhn(bare(matched))),
    alone: 0,
    near: 0.95,
  },
  {
    entity: "mac_address",
    first: "either",
    opens: [2],
    end: written(/[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}/i, isDevice),
    alone: 0.9,
    near: 0.97,
  },
  {
    entity: "device_mac",
    first: "either",
    opens: [4],
    end: written(/[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}/i, isDevice),
    alone: 0.8,
    near: 0.95,
  },
  {
    entity: "device_mac",
    first: "either",
    opens: [12],
    end: written(/[0-9a-f]{12}/i, isDevice),
    alone: 0,
    near: 0.85,
  },
  {
    entity: "ip_address",
    first: "digit",
    opens: [1, 2, 3],
    end: written(
      /(?!127\.|0\.|255\.)(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![.\d])/,
    ),
    alone: 0.8,
    near: 0.95,
  },
  {
    entity: "ip6_address",
    first: "either",
    opens: [1, 2, 3, 4],
    end: written(/[0-9a-f]{1,4}:[0-9a-f:]{2,34}(?::(?:\d{1,3}\.){3}\d{1,3})?/i, (matched) =>
      Boolean(parseIpv6Groups(matched)),
    ),
    alone: 0.85,
    near: 0.95,
  },
  {
    entity: "uuid",
    first: "either",
    opens: [8],
    end: written(
      /(?!0{8})[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/i,
    ),
    alone: 0.95,
    near: 0.95,
  },
];

function hasDigits(matched: string): boolean {
  return matched.replace(/\D/g, "").length >= 4;
}

function looksLikeVin(vin: string): boolean {
  return vin.replace(/\D/g, "").length >= 5 && vin.replace(/\d/g, "").length >= 3;
}

const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const VIN_LETTERS = ".ABCDEFGH..JKLMN.P.R..STUVWXYZ";

function hasVinCheck(vin: string): boolean {
  const value = (one: string) => (one <= "9" ? Number(one) : VIN_LETTERS.indexOf(one) % 10);
  const rest = weighted(vin, VIN_WEIGHTS, value) % 11;
  return vin.charAt(8) === (rest === 10 ? "X" : String(rest));
}

function isDevice(matched: string): boolean {
  return !/^(?:0+|f+)$/i.test(bare(matched));
}
