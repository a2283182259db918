/** Signatures of cross-site scripting. */
import type { Signature } from "../signature.ts";

/** Calls that are typical of XSS payloads and rare in attributes of pages. */
const CALL = String.raw`(?:alert|prompt|confirm|eval|document\s{0,3}\.\s{0,3}(?:cookie|location|write)|string\.fromcharcode|javascript:)`;
/** More calls of payloads, which pages also use: reported only inside a tag. */
const TAG_CALL = String.raw`(?:${CALL}|print\(\)|fetch\(|import\(|new\s{1,3}image|set(?:timeout|interval)[(\`]|(?:top|self|parent|window|this|frames)\s{0,2}\[|throw\s|\$\.getscript|\(\s{0,2}(?:alert|prompt|confirm)|\[[^\]]{0,9}\]\.\w{3,9}\((?:alert|prompt|confirm|eval)|\w{1,9}\s{0,2}=\s{0,2}(?:alert|prompt|confirm|eval)\b|(?:\w{1,9}\.)?(?:location(?:\.href)?|src)\s{0,2}=\s{0,2}["'\`]?(?:(?:https?:)?\/\/|javascript:|data:)|[^"'>]{0,40}document\.cookie)`;
/** Event names by their first letters. */
const EVENTS = [
  ...["onabort", "onactivate", "onafter", "onanimation", "onauxclick", "onbefore", "onbegin"],
  ...["onblur", "onbounce", "oncan", "oncell", "onchange", "onclick", "onclose", "oncontext"],
  ...["oncontrol", "oncopy", "oncue", "oncut", "ondata", "ondblclick", "ondeactivate", "ondrag"],
  ...["ondrop", "onduration", "onemptied", "onend", "onerror", "onfilter", "onfinish", "onfocus"],
  ...["onformdata", "onfullscreen", "ongesture", "ongotpointer", "onhashchange", "onhelp"],
  ...["oninput", "oninvalid", "onkey", "onlayout", "onload", "onlose", "onlost", "onmedia"],
  ...["onmessage", "onmouse", "onmove", "onoffline", "ononline", "onorientation", "onpage"],
  ...["onpaste", "onpause", "onplay", "onpointer", "onpopstate", "onprogress", "onproperty"],
  ...["onratechange", "onready", "onredo", "onrepeat", "onreset", "onresize", "onresume"],
  ...["onreverse", "onrow", "onscroll", "onsearch", "onsecurity", "onseek", "onselect", "onshow"],
  ...["onslotchange", "onstalled", "onstart", "onstop", "onstorage", "onsubmit", "onsuspend"],
  ...["onsync", "ontime", "ontoggle", "ontouch", "ontrack", "ontransition", "onundo"],
  ...["onunhandled", "onunload", "onvolume", "onwaiting", "onwebkit", "onwheel", "onxxx"],
];
const HANDLER = String.raw`on[a-z]{3,24}\s{0,3}=`;
const pattern = (source: string) => new RegExp(source);

export const XSS: readonly Signature<"xss">[] = [
  {
    label: "xss", // script with a typical payload
    needles: ["<script"],
    pattern: pattern(
      String.raw`<script[^>]{0,60}>[^<]{0,40}(?:alert|prompt|confirm)\s{0,3}[(\`]|<script[^>]{0,60}>[^<]{0,80}document\s{0,2}\.\s{0,2}(?:cookie|location)|<script[^>]{0,60}\ssrc\s{0,3}=\s{0,3}["']?(?:data:|http://\d|https?:\\)|<script[^>]{0,60}>[^<]{0,60}\beval\(`,
    ),
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "xss", // "><script
    needles: ["<script", "<svg", "<img", "<iframe", "<body", "<details", "<object", "<embed"],
    pattern:
      /^[^<\n]{0,60}["'`]?\s{0,3}\/?>["'`\s]{0,3}<(?:script|svg|img|iframe|body|details|object|embed)\b/,
    argumentConfidence: 0.85,
    proseConfidence: 0.7,
  },
  {
    label: "xss", // closes the surrounding element
    needles: ["</style", "</title", "</textarea", "alert(", "prompt(", "confirm("],
    pattern:
      /^[^<\n]{0,60}<\/(?:style|title|textarea)>\s{0,3}<script|^[^\s\n]{0,20}(?:alert|prompt|confirm)\([^\n)]{0,40}\)[;\s"']{0,4}>/,
    argumentConfidence: 0.8,
    proseConfidence: 0.6,
  },
  {
    label: "xss", // the whole value is an active element
    needles: [
      "<script",
      "<iframe",
      "<object",
      "<embed",
      "<applet",
      "<xml",
      "<style",
      "<link",
      "<meta",
      "<base",
      "<svg",
      "<bgsound",
      "<frameset",
      "<layer",
      "<?",
      "<%",
      "<![",
    ],
    pattern:
      /^[^<\n]{0,40}<(?:script|iframe|object|embed|applet|bgsound|frameset|layer|base\s|xml\s|link\s[^>]{0,60}stylesheet|meta\s[^>]{0,40}http-equiv|style[^>]{0,40}>[^<]{0,80}(?:@import|expression|javascript|-moz-binding)|\?\s{0,3}echo|!\[cdata\[)/,
    argumentConfidence: 0.75,
    proseConfidence: 0.35,
  },
  {
    label: "xss", // onerror=alert(1)
    needles: EVENTS,
    pattern: pattern(String.raw`[\s"'/\`<+.;]${HANDLER}[\s"'\`\\]{0,4}(?:\\x\d\d)?["']?${CALL}`),
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "xss", // <x onfocus=top["al"+"ert"](1)>
    needles: EVENTS,
    pattern: pattern(String.raw`<[a-z][^>\n]{0,160}[\s"'/\`]${HANDLER}[\s"'\`\\]{0,4}${TAG_CALL}`),
    argumentConfidence: 0.85,
    proseConfidence: 0.5,
  },
  {
    label: "xss", // a handler without quotes in a tag, or after a closed attribute
    needles: EVENTS,
    pattern: pattern(
      String.raw`<[a-z][^>\n]{0,160}[\s"'/\`]${HANDLER}\s{0,3}[^\s"'\`>{][^\s>"']{0,40}[(\`[]|^[^<\n]{0,20}["'][^<>\n]{0,40}\b${HANDLER}["'\`\s]{0,3}[a-z[(]`,
    ),
    argumentConfidence: 0.8,
    proseConfidence: 0.4,
  },
  {
    label: "xss", // href=javascript:, url(javascript:
    needles: ["javascript:", "vbscript:", "livescript:", "mocha:"],
    pattern: /(?:=|url\()["'`&;\s]{0,8}(?:javascript|vbscript|livescript|mocha):/,
    argumentConfidence: 0.85,
    proseConfidence: 0.5,
  },
  {
    label: "xss", // javascript: with a typical payload, data:text/html
    needles: ["javascript:", "data:text/html"],
    pattern:
      /(?:^|[\s"'(=])javascript:[\s/*%\w]{0,40}(?:\b|%20)(?:alert|prompt|confirm|eval|document|window|throw|location)\b|data:text\/html[^,\n]{0,30},\s{0,3}(?:<|%3c|phnj|[a-z0-9+/]{20})/,
    argumentConfidence: 0.9,
    proseConfidence: 0.7,
  },
  {
    label: "xss", // CSS expressions, and closing a string
    needles: ["expression(", "expr/*", "-moz-binding", "alert(", "document.cookie", "&{", "<scr"],
    pattern:
      /style\s{0,3}=[^>\n]{0,80}(?:expression\s{0,3}\(|-moz-binding|expr\/\*)|^[^\n]{0,20}["'`]\s{0,3}[;)+-]{1,3}\s{0,3}(?:alert|prompt|confirm)\s{0,3}\(|&\{\s{0,3}(?:alert|document)|^[^\n]{0,40}<[a-z/!?][^\n]{0,80}document\.cookie|<scr\W{1,6}(?:<script>)?ipt|\+adw-script/,
    argumentConfidence: 0.85,
    proseConfidence: 0.6,
  },
];
