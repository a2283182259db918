/** Maps characters to the ASCII characters they resemble, so that `pаypal` with a Cyrillic letter reads as `paypal`. */

/** Letters of scripts in use: look-alikes only in a word that otherwise reads as Latin. */
export const CONTEXTUAL_LOOKALIKES: ReadonlyMap<number, string> = toLookalikeMap(
  // Cyrillic
  "аa еe оo рp сc уy хx іi јj ѕs ԁd ԛq ԝw һh ӏl кk ѵv ԍg АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS ԚQ ԜW ӀI",
  // Greek
  "αa οo νv ρp ιi κk υu χx γy ηn ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX",
  // Armenian and Cherokee
  "օo սu հh ոn ցg զq ԼL ՕO ՍU ᎪA ᏴB ᏟC ᎠD ᎬE ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᏒR ᏚS ᎢT ᏙV ᎳW ᏃZ",
);

/** Letters that resemble Latin ones less: look-alikes only in a word that mixes scripts. */
export const WEAK_LOOKALIKES: ReadonlyMap<number, string> = toLookalikeMap(
  "вb гr ґr мm нh пn тt ьb ЬB ҽe ѡw үy ҮY ҳx зz ѓr ќk һh",
  "τt εe βb σo ωw μu δd θo πn ϳj ѳo",
);

/** Characters that are folded to ASCII in any context. */
export const UNCONDITIONAL_LOOKALIKES: ReadonlyMap<number, string> = new Map([
  ...toLookalikeMap(
    "‘' ’' ‚' ‛' ′' ʼ' ‵' “\" ”\" „\" ‟\" ″\" ‐- ‒- –- −- ⁃- ⁄/ ∕/ ⧸/ ∖\\ ∣| ∶: ∗* ‹< ›>",
  ),
  ...toLookalikeMap(
    "ıi ɑa ɡg ɩi ʟL İI ⅼl ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ᴌl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz",
    "ƅb ϲc ϹC ɗd ℮e ɾr ᴦr ʋu ʐz ɓb ƈc ɖd ɠg ɦh ɨi ɭl ɱm ɳn ɲn ɵo ƥp ʠq ʂs ƭt ʉu ʎy ƶz",
  ),
  ...toAlphabetEntries(0x1f150), // negative circled
  ...toAlphabetEntries(0x1f170), // negative squared
  // Separate words, unlike the shorter dashes.
  [0x2014, " "],
  [0x2015, " "],
  [0x2028, "\n"],
  [0x2029, "\n"],
]);

function toLookalikeMap(...tables: string[]): Map<number, string> {
  return new Map(
    tables
      .flatMap((table) => table.split(" "))
      .map((pair) => {
        const [from = "", to = ""] = pair;
        return [from.codePointAt(0) ?? 0, to];
      }),
  );
}

function toAlphabetEntries(first: number): [number, string][] {
  return Array.from("abcdefghijklmnopqrstuvwxyz", (letter, index) => [first + index, letter]);
}
