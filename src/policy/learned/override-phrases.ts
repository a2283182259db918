/** Finds "ignore all previous instructions": short overrides, and languages of which the learned models read too little. */
import { createKeywordFinder } from "../../lib/text/keyword-finder.ts";
import type { ScoredWindow } from "./window-scorer.ts";

/** Beginnings of words, in lower case. A phrase has a word of each column, in any order. */
type Language = readonly [name: string, nouns: readonly string[], verbs: RegExp, scopes: RegExp];

const ENGLISH = {
  nouns: ["instruction", "direction", "directive", "guideline", "prompt", "commands", "rules"],
  openings:
    "please|now|ok|okay|so|and|but|then|just|hey|first|also|actually|you must|you should|i want you to",
  verbs: "ignore|disregard|forget|do not follow|don['’]t follow|stop following",
  scopes:
    "your|previous|prior|preceding|earlier|above|past|former|foregoing|original|initial|existing|system|developer",
  fillers: "all|any|everything|the|those|these|of|about|safety|other|and",
  relations: "gave you|given to you|you were given|so far|before this",
};

const LANGUAGES: readonly Language[] = [
  [
    "Arabic",
    ["تعليمات", "أوامر", "اوامر", "توجيهات", "إرشادات", "ارشادات"],
    /تجاهل|(?:^|\s)انس[َى]?\s|لا تتبع|[أا]همل/,
    /السابق|[أا]علاه|جميع|كل /,
  ],
  ["Bengali", ["নির্দেশ", "আদেশ"], /উপেক্ষা কর|ভুলে যা|অগ্রাহ্য কর/, /আগের|পূর্ব|সব |সকল|সমস্ত|উপরের/],
  [
    "Chinese",
    ["指令", "指示", "命令", "规则", "規則", "提示词"],
    /忽略|[无無][视視]|忘[记記掉]|不[要用]理[会會]/,
    /之前|以前|以上|上面|先前|前面|此前|所有|全部|一切/,
  ],
  ["Czech", ["instrukc", "pokyn"], /ignoruj|zapome[ňn]/, /předchoz|predchoz|dřívějš|výše|všechn/],
  [
    "Dutch",
    ["instructies", "aanwijzingen", "opdrachten"],
    /negeer|vergeet/,
    /vorige|voorgaande|eerdere|bovenstaande|alle /,
  ],
  [
    "English",
    ENGLISH.nouns,
    // People quote and discuss the phrase, so that it has to begin a sentence.
    new RegExp(
      `^[\\s>*#|•–—-]*(?:(?:${ENGLISH.openings})[,!]?\\s+)*(?:${ENGLISH.verbs})\\s+(?:(?:${ENGLISH.scopes}|${ENGLISH.fillers})[\\s,]+)+(?:${ENGLISH.nouns.join("|")})`,
    ),
    new RegExp(`\\b(?:${ENGLISH.scopes}|${ENGLISH.relations})\\b`),
  ],
  [
    "Finnish",
    ["ohjee", "ohjei", "käsky"],
    /unohda|älä välitä|sivuuta|huomiotta/,
    /aiem|aikaisem|edelli|yllä|kaikki/,
  ],
  [
    "French",
    ["instructions", "consignes", "directives"],
    /ignor(?:e|ez|er) |oubli(?:e|ez|er) |ne (?:tiens|tenez) (?:pas|aucun) compte/,
    /pr[ée]c[ée]dent|ant[ée]rieur|ci-dessus|toutes /,
  ],
  [
    "German",
    ["anweisung", "instruktion", "vorgaben", "befehle"],
    /ignorier(?:e|en sie)? |vergiss |vergesst |vergessen sie|missachte /,
    /vorherig|bisherig|vorig|obige|fr[üu]here|vorangegangen|alle /,
  ],
  [
    "Greek",
    ["οδηγί", "οδηγι", "εντολ"],
    /αγν[όο]ησ|ξ[έε]χασ|παρ[άα]βλεψ/,
    /προηγο[ύυ]μεν|παραπ[άα]νω|[όο]λες/,
  ],
  ["Hebrew", ["הוראות", "הנחיות", "פקודות"], /התעלמ|התעלם|תתעלם|שכח/, /קודמ|לעיל|כל ה/],
  ["Hindi", ["निर्देश", "आदेश"], /अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जा|उपेक्षा कर/, /पिछल|पूर्व|पहले|सभी|सारे|ऊपर/],
  [
    "Hungarian",
    ["utasítás", "utasitas"],
    /figyelmen kívül|figyelmen kivul|felejtsd el|mellőzd/,
    /korábbi|korabbi|előző|elozo|eddigi|fenti|összes|minden/,
  ],
  [
    "Indonesian and Malay",
    ["instruksi", "perintah", "arahan"],
    /abaikan|lupakan|jangan (?:ikuti|hiraukan)/,
    /sebelum|di atas|semua|terdahulu|tadi/,
  ],
  [
    "Italian",
    ["istruzioni", "direttive"],
    /ignor(?:a|i|are|ate) |dimentica/,
    /precedenti|anteriori|di sopra|tutte /,
  ],
  [
    "Japanese",
    ["指示", "命令", "指令", "ルール"],
    /無視|忘れ|破棄|従わな/,
    /以前|これまで|今まで|上記|前の|直前|すべて|全て/,
  ],
  [
    "Korean",
    ["지시", "명령", "지침", "규칙"],
    /무시|잊어|잊고|따르지/,
    /이전|앞선|앞의|위의|모든|지금까지|기존/,
  ],
  [
    "Persian",
    ["دستورالعمل", "دستورات", "دستورها"],
    /نادیده بگیر|فراموش کن|توجه نکن/,
    /قبلی|پیشین|بالا|همه|تمام/,
  ],
  [
    "Polish",
    ["instrukcj", "polecenia", "poleceń", "polecen"],
    /ignoruj|zapomnij|pomi[ńn] /,
    /poprzedni|wcze[śs]niej|powy[żz]sz|wszystki|dotychczas/,
  ],
  [
    "Portuguese",
    ["instruç", "instrucoes", "diretrizes"],
    /ignor(?:e|a|ar|em) |esque[çc](?:a|am|er) |desconsider/,
    /anterior|pr[ée]vi[ao]s|acima|todas /,
  ],
  [
    "Romanian",
    ["instrucțiun", "instrucţiun", "instructiun"],
    /ignor(?:ă|a|ați|ati) |uit(?:ă|a|ați|ati) /,
    /anterioar|precedent|de mai sus|toate/,
  ],
  [
    "Russian",
    ["инструкци", "указани", "предписани"],
    /игнорируй|игнорировать|забуд[ьу]|не обращай|отбрось/,
    /предыдущ|прежни|выше|ранее|все /,
  ],
  [
    "Scandinavian languages",
    ["instruktion", "instruks", "anvisning"],
    /ignorer[ae]? |glöm |glem |bortse |se bort /,
    /tidigare|föregående|tidligere|forrige|foregående|ovanstående|all[ae] /,
  ],
  [
    "Spanish",
    ["instrucciones", "instruccion", "instrucción", "directrices"],
    /ignor(?:a|e|ar|en|á) |olvid(?:a|e|ar|á)(?:te)? |caso omiso|no hagas caso/,
    /anterior|previ[ao]s|de arriba|todas /,
  ],
  ["Thai", ["คำสั่ง", "คำแนะนำ"], /เพิกเฉย|ละเว้น|ลืม|ไม่ต้องสนใจ|มองข้าม/, /ก่อนหน้า|ทั้งหมด|ข้างต้น/],
  [
    "Turkish",
    ["talimat", "yönerge", "yonerge"],
    /yok ?say|g[öo]rmezden gel|unut|dikkate alma|g[öo]z ard[ıi] et/,
    /[öo]nceki|yukar[ıi]daki|t[üu]m |b[üu]t[üu]n/,
  ],
  [
    "Ukrainian",
    ["інструкці", "вказівк"],
    /ігноруй|ігнорувати|забудь|знехтуй/,
    /попередн|вище|усі |всі |раніш/,
  ],
  [
    "Vietnamese",
    ["hướng dẫn", "chỉ dẫn", "chỉ thị", "mệnh lệnh"],
    /bỏ qua|hãy quên|phớt lờ/,
    /trước|mọi|tất cả|ở trên/,
  ],
];

const NOUNS = [...new Set(LANGUAGES.flatMap(([, nouns]) => nouns))];
const LANGUAGES_OF = NOUNS.map((noun) => LANGUAGES.filter(([, nouns]) => nouns.includes(noun)));
const findNouns = createKeywordFinder(NOUNS, { ignore_case: true });

/** Characters before and after the noun where the other words of its sentence may be. */
const REACH = 60;
const SENTENCE_END = /[.!?。！？।\n]/;
/** Takes the place of the beginning of a long sentence. */
const CUT = "…";
/** Exceeds the thresholds of all levels. */
const PHRASE_LOGIT = 4.5;

/** Returns the first phrase, as a window without word pieces, which stage 2 does not read. */
export function findOverridePhrase(text: string): ScoredWindow | undefined {
  let found: ScoredWindow | undefined;
  findNouns(text, (keyword, end) => {
    if (found) return;
    const start = end - (NOUNS[keyword]?.length ?? 0);
    const from = Math.max(0, start - REACH);
    const parts = text.slice(from, start).split(SENTENCE_END);
    const before = parts.at(-1) ?? "";
    const [after = ""] = text.slice(end, end + REACH).split(SENTENCE_END, 1);
    const isCut = from > 0 && parts.length === 1;
    const sentence = (isCut ? CUT : "") + (before + text.slice(start, end) + after).toLowerCase();
    const hasPhrase = LANGUAGES_OF[keyword]?.some(
      ([, , verbs, scopes]) => verbs.test(sentence) && scopes.test(sentence),
    );
    if (!hasPhrase) return;
    found = {
      logit: PHRASE_LOGIT,
      ids: new Int32Array(),
      start: start - before.length,
      end: end + after.length,
      count: 1,
    };
  });
  return found;
}
