/** Signatures of XSS, template, header, file inclusion, XML and SSRF injections. */
import type { Signature } from "../signature.ts";

type Label = "xss" | "template" | "header" | "file_inclusion" | "xml" | "ssrf";

/** Calls that are typical of XSS payloads and rare in attributes of pages. */
const CALL = String.raw`(?:alert|prompt|confirm|eval|document\s{0,3}\.\s{0,3}(?:cookie|location|write)|string\.fromcharcode|javascript:)`;
const METADATA = String.raw`(?:169\.254\.169\.254|169\.254\.170\.2|metadata\.google\.internal|metadata\.goog\b|100\.100\.100\.200|192\.0\.0\.192|\[fd00:ec2::254\]|instance-data\b|2852039166|0xa9fea9fe|0251\.0376\.0251\.0376|\[::ffff:(?:169\.254\.169\.254|a9fe:a9fe)\])`;
const pattern = (source: string) => new RegExp(source);

export const WEB: readonly Signature<Label>[] = [
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
    needles: [
      "onerror",
      "onload",
      "onclick",
      "onmouse",
      "onfocus",
      "ontoggle",
      "onanimation",
      "onpointer",
      "onstart",
      "onblur",
      "onchange",
      "onbegin",
      "onpageshow",
      "onwheel",
      "onauxclick",
      "onkey",
      "onresize",
      "onscroll",
      "onsubmit",
      "oninput",
      "ondrag",
      "oncopy",
      "onpaste",
      "oncut",
      "onactivate",
      "onbeforeunload",
      "onunload",
      "onabort",
      "onselect",
      "onreset",
      "ondblclick",
      "onhashchange",
    ],
    pattern: pattern(
      String.raw`[\s"'/\`<+.;]on[a-z]{3,20}\s{0,3}=[\s"'\`\\]{0,4}(?:\\x\d\d)?["']?${CALL}`,
    ),
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
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
  {
    label: "template", // {{7*7}}
    needles: ["{{", "${", "#{", "<%", "*{", "@("],
    pattern:
      /(?:\{\{|\$\{|#\{|\*\{|@\(|<%=?|\[\[)\s{0,3}["']?\d{1,7}["']?\s{0,3}[*+-]\s{0,3}["']?\d{1,7}["']?\s{0,3}(?:\}\}|\}|\)|%>|\]\])/,
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "template", // ${jndi:ldap://…}
    needles: ["${jndi", "${lower:", "${upper:", "${::-", "${env:"],
    pattern:
      /\$\{jndi\s{0,2}:|\$\{(?:\$\{(?:lower|upper|env:[^}\n]{0,30}|::-)[^}\n]{0,20}\}|j){1,4}[^\n]{0,60}(?:ldaps?|rmi|dns|iiop|n\}|ndi)/,
    argumentConfidence: 0.95,
    proseConfidence: 0.85,
  },
  {
    label: "template", // access to internals of the template engine
    needles: [
      "__class__",
      "__mro__",
      "__subclasses__",
      "__globals__",
      "__builtins__",
      "freemarker.template",
      "getruntime",
      "{{config",
      "{{self",
      "{{ config",
      "{{ self",
      "_self.env",
      "{php}",
      "t(java",
    ],
    pattern:
      /(?:\{\{|\{%|\$\{)[^\n]{0,120}(?:__class__|__mro__|__subclasses__|__globals__|__builtins__|freemarker\.template\.utility|getruntime\(|t\(java\.)|["')\]}]\.__class__\s{0,2}\.\s{0,2}__(?:mro|bases?)__|__subclasses__\(\)\s{0,2}\[|\{\{\s{0,3}(?:config(?:\.items\(\)|\s{0,3}\}\})|self\.__|self\s{0,3}\}\}|_self\.env)|\{php\}|freemarker\.template\.utility\.execute/,
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "header", // %0d%0aSet-Cookie:
    needles: ["%0d", "%0a", "%e5%98%8a", "\\u560a"],
    pattern:
      /(?:%(?:25)?0d%(?:25)?0a|%(?:25)?0a|%e5%98%8a(?:%e5%98%8d)?)\s{0,3}(?:set-cookie|location|content-(?:type|length)|host|refresh|x-[a-z-]{2,30}|transfer-encoding|http\/1|bcc|cc|to|<)\s{0,3}(?:%3a|:|\.|script)/,
    argumentConfidence: 0.9,
    proseConfidence: 0.7,
  },
  {
    label: "header", // escaped line break, unless in code that writes HTTP responses
    needles: ["\\r\\n"],
    pattern: /\\r\\n\s{0,3}(?:set-cookie|location|refresh|transfer-encoding|bcc)\s{0,3}:/,
    unless: /http\/1\.[01]|set-cookie:[^\n]{0,80}\\r\\nset-cookie/,
    argumentConfidence: 0.8,
    proseConfidence: 0.4,
  },
  {
    label: "header", // line break and header in a short value
    needles: ["\r", "\nset-cookie", "\nbcc:", "\nlocation:"],
    pattern:
      /^[^\r\n]{0,80}\r\n(?:set-cookie|location|content-length|refresh|transfer-encoding)\s{0,2}:|^[^\n]{0,80}\nbcc\s{0,2}:/,
    argumentConfidence: 0.75,
    proseConfidence: 0.2,
  },
  {
    label: "file_inclusion", // php://filter
    needles: [
      "php://",
      "expect://",
      "phar://",
      "zip://",
      "zlib://",
      "ogg://",
      "glob://",
      "compress.",
      "data://text",
      "file:///",
    ],
    pattern:
      /\bphp:\/\/(?:input|filter|stdin|fd|memory|temp)|\bexpect:\/\/\w|\bphar:\/\/[\w./]|\bcompress\.(?:zlib|bzip2):\/\/|\bzip:\/\/[\w./]{1,80}#|\bdata:\/\/text\/\w{1,20}[,;]|\bfile:\/\/\/(?:etc\/|proc\/|c:|var\/log|root\/|home\/\w{1,30}\/\.)/,
    argumentConfidence: 0.9,
    proseConfidence: 0.6,
  },
  {
    label: "file_inclusion", // ?page=http://…/shell.txt?
    needles: ["=http", "=ftp", "=//", "=\\\\"],
    pattern:
      /[?&](?:page|file|path|include|inc|template|document|root|dir|lang|view|module|load)=(?:(?:https?|ftp):\/\/|\/\/|\\\\)[^\s&"'<>]{1,120}\.(?:txt|php\d?|inc|jsp|aspx?|sh)\b/,
    argumentConfidence: 0.8,
    proseConfidence: 0.6,
  },
  {
    label: "xml", // <!ENTITY x SYSTEM "file:///…">
    needles: ["<!entity", "<!doctype", "xi:include"],
    pattern:
      /<!entity\s{1,9}(?:%\s{1,9})?[\w.-]{1,60}\s{1,9}(?:system|public)\b|<!entity\s{1,9}(\w{1,30})\s{1,9}["'](?:&\w{1,30};){4}|<!doctype\s{1,9}[\w.:-]{1,60}\s{1,9}system\s{1,9}["'](?:file|https?|ftp|php|expect|jar|gopher):|<xi:include\s[^>]{0,120}href\s{0,3}=\s{0,3}["']?(?:file|\/)/,
    argumentConfidence: 0.95,
    proseConfidence: 0.75,
  },
  {
    label: "ssrf", // cloud metadata service
    needles: [
      "169.254",
      "metadata.goo",
      "100.100.100.200",
      "192.0.0.192",
      "fd00:ec2",
      "instance-data",
      "2852039166",
      "0xa9fea9fe",
      "0251.",
      "a9fe",
    ],
    pattern: pattern(String.raw`(?:^|//|@|[\s"'=(])${METADATA}(?=[/:?#\s"'.)\]]|$)`),
    argumentConfidence: 0.9,
    proseConfidence: 0.7,
  },
  {
    label: "ssrf", // schemes for internal servers
    needles: ["gopher://", "dict://", "ldap://", "tftp://", "netdoc:", "jar:http"],
    pattern:
      /\b(?:gopher|dict|tftp):\/\/[\w.[\]-]{1,80}:\d|\bgopher:\/\/[^\s]{0,80}_|\bnetdoc:\/|\bjar:https?:\/\//,
    argumentConfidence: 0.85,
    proseConfidence: 0.6,
  },
  {
    label: "ssrf", // obfuscated address
    needles: ["http://", "https://"],
    pattern:
      /\bhttps?:\/\/(?:[^\s/@"']{1,60}@)?(?:0x[\da-f]{8}|\d{8,10}|0\d{2,3}\.0?\d{1,3}\.0?\d{1,3}\.0?\d{1,3}|0x[\da-f]{1,2}\.(?:0x)?[\da-f]{1,3}\.[\da-fx.]{1,12}|127\.1|127\.0\.1|0\.0\.0\.0|\[::(?:1|ffff:[^\]\s]{1,20})?\]|[\w.-]{1,80}\.(?:nip|sslip|xip)\.io)(?=[/:?#\s"']|$)/,
    argumentConfidence: 0.75,
    proseConfidence: 0.5,
  },
];
