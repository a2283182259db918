/** Lists the Unicode properties that regular expressions of JavaScript have, by their short names. */
const CATEGORIES =
  "C Cc Cf Cn Co Cs L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs";
const BINARY =
  "ASCII AHex Alpha Any Assigned Bidi_C Bidi_M CI Cased CWCF CWCM CWKCF CWL CWT CWU Dash DI Dep Dia EBase EComp EMod EPres Emoji ExtPict Ext Gr_Base Gr_Ext Hex IDSB IDST IDS IDC Ideo Join_C LOE Lower Math NChar Pat_Syn Pat_WS QMark Radical RI STerm SD Term UIdeo Upper VS space XIDS XIDC";

export function unicodeProperties(): string[] {
  const scripts = listScriptCodes().flatMap((code) => [
    `Script=${code}`,
    `Script_Extensions=${code}`,
  ]);
  return [...CATEGORIES.split(" "), ...BINARY.split(" "), ...scripts];
}

/** Returns the codes of ISO 15924 that are known. */
function listScriptCodes(): string[] {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const pairs = letters.flatMap((one) => letters.map((other) => one + other));
  return pairs.flatMap((start) =>
    pairs
      .map((end) => `${start.charAt(0).toUpperCase()}${start.charAt(1)}${end}`)
      .filter((code) => isProperty(`Script=${code}`)),
  );
}

function isProperty(name: string): boolean {
  try {
    new RegExp(`\\p{${name}}`, "u");
    return true;
  } catch {
    return false;
  }
}
