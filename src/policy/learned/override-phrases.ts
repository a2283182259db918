/** Finds "ignore all previous instructions": short overrides, and languages of which the learned models read too little. */
import { createKeywordFinder } from "../../lib/text/keyword-finder.ts";
import { MAX_WINDOWS, type ScoredWindow } from "./window-scorer.ts";

/**
 * Words that may precede a phrase in its sentence, then beginnings of words, all in lower case. A phrase has a word of
 * each of these columns, the verb first.
 */
type Language = readonly [openers: string, nouns: readonly string[], verbs: RegExp, scopes: RegExp];

/** Here the verb is the last word. */
const VERB_FINAL = ["Bengali", "Hindi", "Hungarian", "Japanese", "Korean", "Persian", "Turkish"];

const ENGLISH = {
  nouns: ["instruction", "direction", "directive", "guideline", "prompt", "commands", "rules"],
  verbs: "ignore|disregard|forget|do not follow|don['’]t follow|stop following",
  scopes:
    "your|previous|prior|preceding|earlier|above|past|former|foregoing|original|initial|existing|system|developer",
  fillers: "all|any|everything|the|those|these|of|about|safety|other|and",
  relations: "gave you|given to you|you were given|so far|before this",
};

const LANGUAGES: Readonly<Record<string, Language>> = {
  Arabic: [
    "من فضلك|رجاءً?|يرجى|الرجاء|الآن|حسنا|مرحبا|و|ثم|لكن|قم ب|عليك أن|يجب (?:عليك )?أن",
    ["تعليمات", "أوامر", "اوامر", "توجيهات", "إرشادات", "ارشادات"],
    /تجاهل(?! تعليماتي)|(?<![^\sو])انس[َى]?\s|لا تتبع|[أا]همل/,
    /السابق|[أا]علاه|جميع|كل /,
  ],
  Bengali: [
    "অনুগ্রহ করে|দয়া করে|এখন|এবার|আচ্ছা|ঠিক আছে|এবং|আপনার|তোমার|হ্যালো",
    ["নির্দেশ", "আদেশ"],
    /(?:উপেক্ষা|অগ্রাহ্য) কর(?![তছলা])|ভুলে যা(?!ওয|চ্ছ|য)/,
    /আগের|পূর্ব|সব |সকল|সমস্ত|উপরের/,
  ],
  Chinese: [
    "请|請|麻[烦煩]|你|好的?|您|必[须須]|要|[现現]在|接下[来來]|[从從]|[开開]始|然后|首先|那么|立即",
    ["指令", "指示", "命令", "规则", "規則", "提示词"],
    /忽略|[无無][视視]|忘[记記掉]|不[要用]理[会會]/,
    /之前|以前|以上|上面|先前|前面|此前|所有|全部|一切/,
  ],
  Czech: [
    "prosím|nyní|teď|a|ale|tak|dobře|ahoj|nejprve|musíš",
    ["instrukc", "pokyn"],
    /ignoruj|zapome[ňn]/,
    /předchoz|predchoz|dřívějš|výše|všechn/,
  ],
  Dutch: [
    "alsjeblieft|alstublieft|gelieve|nu|en|maar|dan|dus|oké|ok|hallo|eerst|vanaf nu",
    ["instructies", "aanwijzingen", "opdrachten"],
    /negeer|vergeet/,
    /vorige|voorgaande|eerdere|bovenstaande|alle /,
  ],
  English: [
    "please|now|ok|okay|so|and|but|then|just|hey|hi|hello|first|also|actually|from now on|you must|you should|i want you to",
    ENGLISH.nouns,
    new RegExp(
      `(?:${ENGLISH.verbs})\\s+(?:(?:${ENGLISH.scopes}|${ENGLISH.fillers})[\\s,]+)+(?:${ENGLISH.nouns.join("|")})`,
    ),
    new RegExp(`\\b(?:${ENGLISH.scopes}|${ENGLISH.relations})\\b`),
  ],
  Finnish: [
    "ole hyvä|olkaa hyvä|nyt|ja|mutta|sitten|ok|hei|ensin",
    ["ohjee", "ohjei", "käsky"],
    /unohda|älä välitä|sivuuta|jätä.* huomiotta/,
    /aiem|aikaisem|edelli|yllä|kaikki/,
  ],
  French: [
    "veuillez|merci d[e']|s'il (?:te|vous) pla[îi]t|maintenant|et|mais|alors|ok|bonjour|tu dois|vous devez",
    ["instructions", "consignes", "directives"],
    /ignor(?:e|ez|er) |oubli(?:e|ez|er) |ne (?:tiens|tenez) (?:pas|aucun) compte/,
    /pr[ée]c[ée]dent|ant[ée]rieur|ci-dessus|toutes /,
  ],
  German: [
    "bitte|nun|jetzt|und|aber|dann|also|ok|okay|gut|hallo|zuerst|ab sofort|ab jetzt",
    ["anweisung", "instruktion", "vorgaben", "befehle"],
    /ignorier(?:e|en sie)? |vergiss |vergesst |vergessen sie|missachte /,
    /vorherig|bisherig|vorig|obige|fr[üu]here|vorangegangen|alle /,
  ],
  Greek: [
    "(?:σε )?παρακαλ[ώω]|τ[ώω]ρα|και|αλλ[άα]|λοιπ[όο]ν|εντ[άα]ξει|γεια|πρ[ώω]τα",
    ["οδηγί", "οδηγι", "εντολ"],
    /αγν[όο]ησ|ξ[έε]χασ|παρ[άα]βλεψ/,
    /προηγο[ύυ]μεν|παραπ[άα]νω|[όο]λες/,
  ],
  Hebrew: [
    "בבקשה|אנא|נא|עכשיו|כעת|ו|אז|אבל|שלום|קודם כל|אוקיי|עליך ל|תחילה",
    ["הוראות", "הנחיות", "פקודות"],
    /התעלמ|התעלם|תתעלם|ת?שכח/,
    /קודמ|לעיל|כל ה/,
  ],
  Hindi: [
    "कृपया|अब|आप|तुम|अपन[ेी]|आपके|तुम्हारे|और|फिर|ठीक है|नमस्ते",
    ["निर्देश", "आदेश"],
    /(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|उपेक्षा) क(?:र(?![नताी])|ीज)|भूल जा(?![नत])/,
    /पिछल|पूर्व|पहले|सभी|सारे|ऊपर/,
  ],
  Hungarian: [
    "kérlek|kérem|most|és|de|akkor|ok|oké|rendben|szia|először|az?|mostantól",
    ["utasítás", "utasitas"],
    /hagy(?:d|ja) figyelmen k[íi]v[üu]l|figyelmen k[íi]v[üu]l hagyd|felejts[de] el|mellőzd/,
    /korábbi|korabbi|előző|elozo|eddigi|fenti|összes|minden/,
  ],
  "Indonesian and Malay": [
    "tolong|mohon|silakan|sila|harap|sekarang|dan|tapi|lalu|oke|baik|halo|(?:anda|kamu) harus",
    ["instruksi", "perintah", "arahan"],
    /abaikan|lupakan|jangan (?:ikuti|hiraukan)/,
    /sebelum|di atas|semua|terdahulu|tadi/,
  ],
  Italian: [
    "per favore|ti prego di|si prega di|ora|adesso|e|ma|poi|allora|quindi|ok|va bene|ciao|devi",
    ["istruzioni", "direttive"],
    /ignor(?:a|i|are|ate) |dimentica/,
    /precedenti|anteriori|di sopra|tutte /,
  ],
  Japanese: [
    "どうか|それでは|では|さて|まず|今すぐ|今から|これから|あなた(?:の|への|は)|ここまでの|そして|はい|こんにちは",
    ["指示", "命令", "指令", "ルール"],
    /(?:(?:無視|破棄)(?:して|しろ|せよ|しなさい|し、)|忘れ(?:て|ろ|なさい)|従わない(?:で|こと))(?![いよをがはもに]|(?:ください|下さい)?["」』]?、?(?:と|って))/,
    /以前|これまで|今まで|上記|事?前の|直前|すべて|全て/,
  ],
  Korean: [
    "제발|부디|이제|지금부터|지금|그리고|그럼|자|네|좋아|안녕(?:하세요)?|먼저|당신[의은]|너[의는]",
    ["지시", "명령", "지침", "규칙"],
    /무시(?:해|하세요|하십시오|하시오|하고|하라|할 것)(?!고|는|도|서| 있| ?달라)|잊(?:어(?!버리라)|고(?! 있))|따르지 [마말](?!라[고는])/,
    /이전|앞선|앞의|위의|모든|지금까지|기존/,
  ],
  Persian: [
    "لطفاً?|اکنون|حالا|الان|و|اما|پس|خب|سلام|ابتدا|از این پس|باید",
    ["دستورالعمل", "دستورات", "دستورها"],
    /نادیده بگیر(?!د|ند)|فراموش کن(?![دمن])|توجه نکن(?![دمن])/,
    /قبلی|پیشین|بالا|همه|تمام/,
  ],
  Polish: [
    "proszę|teraz|i|a|ale|więc|dobrze|ok|cześć|najpierw|od teraz|musisz",
    ["instrukcj", "polecenia", "poleceń", "polecen"],
    /z?ignoruj|zapomnij|pomi[ńn] /,
    /poprzedni|wcze[śs]niej|powy[żz]sz|wszystki|dotychczas/,
  ],
  Portuguese: [
    "por favor|agora|e|mas|ent[ãa]o|ok|ol[áa]|oi|primeiro|voc[êe] deve|a partir de agora",
    ["instruç", "instrucoes", "diretrizes"],
    /ignor(?:e|a|ar|em) |esque[çc](?:a|am|er) |desconsider/,
    /anterior|pr[ée]vi[ao]s|acima|todas /,
  ],
  Romanian: [
    "te rog|v[ăa] rog|acum|și|si|dar|apoi|deci|ok|bine|salut|bună|trebuie să",
    ["instrucțiun", "instrucţiun", "instructiun"],
    /ignor(?:ă|a|ați|ati) |uit(?:ă|a|ați|ati) /,
    /anterioar|precedent|de mai sus|toate/,
  ],
  Russian: [
    "пожалуйста|теперь|сейчас|и|а|но|затем|итак|ок|хорошо|привет|сначала|ты должен|вы должны",
    ["инструкци", "указани", "предписани"],
    /(?:про)?игнорир(?:уй|овать)|забуд[ьу]|не обращай|отбрось/,
    /предыдущ|прежни|выше|ранее|все /,
  ],
  "Scandinavian languages": [
    "snälla|vänligen|vennligst|venligst|nu|nå|och|og|men|så|ok|okej|hej|hei|først|först",
    ["instruktion", "instruks", "anvisning"],
    /ignorer[ae]? |glöm |glem |bortse |se bort /,
    /tidigare|föregående|tidligere|forrige|foregående|ovanstående|all[ae] /,
  ],
  Spanish: [
    "por favor|ahora|y|pero|entonces|luego|ok|vale|bien|hola|primero|debes|a partir de ahora",
    ["instrucciones", "instruccion", "instrucción", "directrices"],
    /ignor(?:a|e|ar|en|á) |olvid(?:a|e|ar|á)(?:te)? |ha(?:z|ga) caso omiso|no hagas? caso/,
    /anteriores|ón anterior|previ[ao]s|de arriba|todas /,
  ],
  // Spaces separate sentences. Folding divides U+0E33.
  Thai: [
    "กรุณา|โปรด|ได้โปรด|ตอนนี้|ขอให้|จง|[…ก-๛]+(?<!ว่า|ให้)\\s",
    ["คําสั่ง", "คําแนะนํา"],
    /เพิกเฉย|ละเว้น|ลืม|ไม่ต้องสนใจ|มองข้าม/,
    /ก่อนหน้า|ทั้งหมด|ข้างต้น/,
  ],
  Turkish: [
    "l[üu]tfen|[şs]imdi|ve|ama|sonra|tamam|peki|merhaba|art[ıi]k|bundan sonra|sana verilen",
    ["talimat", "yönerge", "yonerge"],
    /(?:yok ?say|g[öo]rmezden gel|unut|dikkate alma|g[öo]z ard[ıi] e[td])(?:y?[ıiuü]n(?:[ıiuü]z)?|[ıiuü]p)?(?!\p{L}| di)/u,
    /[öo]nceki(?! talimat(?:lar)?[ıi]m[ıi])|yukar[ıi]daki|t[üu]m |b[üu]t[üu]n/,
  ],
  Ukrainian: [
    "будь ласка|тепер|зараз|і|й|та|але|потім|отже|гаразд|добре|привіт|ти повинен|ви повинні",
    ["інструкці", "вказівк"],
    /(?:про)?ігнору(?:й|вати)|забудь|знехтуй/,
    /попередн|вище|усі |всі |раніш/,
  ],
  Vietnamese: [
    "xin|hãy|vui lòng|làm ơn|bây giờ|giờ|và|nhưng|sau đó|rồi|chào|trước tiên|bạn phải",
    ["hướng dẫn", "chỉ dẫn", "chỉ thị", "mệnh lệnh"],
    /bỏ qua|hãy quên|phớt lờ/,
    /trước|mọi|tất cả|ở trên/,
  ],
};

const PHRASES = Object.entries(LANGUAGES).map(([name, [openers, nouns, verbs, scopes]]) => {
  const others = VERB_FINAL.includes(name) ? [scopes.source, ...nouns] : [];
  const first = [verbs.source, ...others].join("|");
  // Agents number the lines of a file, and send the lines of a diff.
  const opener = `[\\s*#|•¿¡,،、_+-]|\\d+[\\s)|:→]|(?:${openers}):?`;
  return { nouns, verbs, scopes, opening: new RegExp(`^(?:${opener})*(?=${first})`, "u") };
});
const NOUNS = [...new Set(PHRASES.flatMap(({ nouns }) => nouns))];
const PHRASES_OF = NOUNS.map((noun) => PHRASES.filter(({ nouns }) => nouns.includes(noun)));
const findNouns = createKeywordFinder(NOUNS, { ignore_case: true });

/** Characters before and after the noun where the other words of its sentence may be. */
const REACH = 60;
/** The dot is not that of `e.g.`, the line is not wrapped, the tag does not mark words in a sentence. */
const SENTENCE_END =
  /(?<!\.\p{L})\.|[!?。！？।؟]|(?<![\p{L},]\s*)\n|\n(?!\s*\p{Ll})|<(?!\/?(?:[abiqsu]|em|strong|span|code|mark|cite|pre|kbd|tt|blockquote)\b)[^<>]+>/u;
/** Takes the place of the beginning of a long sentence. */
const CUT = "…";
/** Exceeds the thresholds of all levels. */
const PHRASE_LOGIT = 4.5;

/** Opening and closing marks as folding leaves them. Longer text between two marks is a document. */
const MARKS = ['""', "``", "«»", "»«", "「」", "『』", "《》", "〝〞", "❝❞", "״״"];
const QUOTED = new RegExp(
  [
    // Code fences, which need no end, and lines of blockquotes. An indented line may be a list.
    "^[ \\t>]*(`{3,}(?![^`\\n]*`)|~{3,})[^]*?(?:^[ \\t>]*\\1|$(?![^]))|^[ \\t]*>.*",
    ...MARKS.map(
      ([open, close]) =>
        `(?<!\\w)${open}(?=\\S)(?:[^${open}${close}\\n]|\\n(?!\\s*\\n)){1,300}${close}`,
    ),
    "(?<![\\p{L}\\p{N}])'(?=\\S)(?:[^'\\n]|(?<=\\p{L})'(?=\\p{L})){1,300}'(?![\\p{L}\\p{N}])",
  ].join("|"),
  "gmu",
);

/**
 * Returns the phrases, as windows without word pieces, which stage 2 does not read. People discuss phrases, so one
 * counts only where it begins a sentence, is not quoted and is not code. The text must be folded.
 */
export function findOverridePhrases(text: string): ScoredWindow[] {
  const found: ScoredWindow[] = [];
  let unquoted: string | undefined;
  findNouns(text, (keyword, end) => {
    if (found.length === MAX_WINDOWS) return;
    const start = end - (NOUNS[keyword]?.length ?? 0);
    const from = Math.max(0, start - REACH);
    const parts = text.slice(from, start).split(SENTENCE_END);
    const before = parts.at(-1) ?? "";
    const [after = ""] = text.slice(end, end + REACH).split(SENTENCE_END, 1);
    const beginning = (from > 0 && parts.length === 1 ? CUT : "") + before;
    const sentence = (beginning + text.slice(start, end) + after).toLowerCase();
    const hasPhrase = PHRASES_OF[keyword]?.some(({ opening, verbs, scopes }) => {
      if (!verbs.test(sentence) || !scopes.test(sentence)) return false;
      const opener = opening.exec(sentence)?.[0];
      if (opener === undefined) return false;
      unquoted ??= text.replace(QUOTED, (quoted) => " ".repeat(quoted.length));
      return unquoted[start + opener.length - beginning.length] !== " ";
    });
    if (!hasPhrase) return;
    found.push({
      logit: PHRASE_LOGIT,
      ids: new Int32Array(),
      start: start - before.length,
      end: end + after.length,
      count: 1,
    });
  });
  return found;
}
