/** Signatures of template and expression injections. */
import type { Signature } from "../signature.ts";

/** Openings of expressions: Jinja, Twig, FreeMarker, Thymeleaf, ERB, Razor, OGNL and others. */
const OPEN = String.raw`(?:\{\{[={]?|\{%|\$\{{1,2}|#\{|\*\{|~\{|@\{|%\{|\{@|@\(|<%[=-]?)`;
const CLOSE = String.raw`(?:\}\}|%\}|\}|\)|%>|\]\])`;
/** Starts a process or evaluates code; methods of other objects, such as `regex.exec(`, do not count. */
const RUN = String.raw`(?<![.\w])(?:system|exec|passthru|shell_exec|popen|phpinfo|eval|sleep|print)\s{0,2}\(`;
const pattern = (source: string) => new RegExp(source);

export const TEMPLATE: readonly Signature<"template">[] = [
  {
    label: "template", // {{7*7}}
    needles: ["{{", "${", "#{", "<%", "*{", "@(", "[[", "{%", "~{", "%{", "{@"],
    pattern: pattern(
      String.raw`${OPEN}\s{0,3}(?:print\()?\s{0,3}["']?\d{1,7}["']?\s{0,3}[*+-]\s{0,3}["']?\d{1,7}["']?\s{0,3}\)?\s{0,3}${CLOSE}|\[\[\s{0,3}(?:\$\{)?\d{1,7}\s{0,3}\*\s{0,3}["']?\d`,
    ),
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "template", // the whole value is a product in braces
    needles: Array.from("123456789", (digit) => `{${digit}`),
    pattern: /^\{\s?\d{1,7}\s?\*\s?["']?\d{1,7}["']?\s?\}$/,
    argumentConfidence: 0.75,
    proseConfidence: 0.3,
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
    label: "template", // runs a command or loads a class
    needles: [
      ...["system(", "system (", "exec(", "passthru(", "popen(", "phpinfo(", "eval(", "sleep("],
      ...["print(md5", 'print("', "'system'", '"system"', "'exec'", "'passthru'", "'shell_exec'"],
      ...["os.system", "os.popen", "execsync", "spawnsync", "child_process", "mainmodule"],
      ...[
        "getclass()",
        "forname(",
        "classloader",
        "java.lang",
        "@java",
        "javax.",
        "processbuilder",
      ],
      ...["constructor(", "constructor'", 'constructor"', "constructor.prototype"],
      ...["getprotectiondomain", "getresource(", "file.open(", "io.popen", "dir.entries"],
      ...["diagnostics.process", "undefinedfiltercallback", "subclasses()", "secret_key"],
      ...["applicationscope", "sessionscope", "pagecontext.", "methodaccessor", "_memberaccess"],
      ...["request|attr", "_templatereference", "file_excerpt(", ".iteritems()", "import os"],
      ...["server.all", "dump(app", "'__cla", "__init__", "<%=`", "<%= `"],
    ],
    pattern: pattern(
      String.raw`${OPEN}[^\n]{0,160}?(?:${RUN}|["'](?:system|exec|passthru|shell_exec)["']\s{0,2}[,)}]|\bos\.(?:system|popen)\(|\b(?:exec|spawn)sync\(|["']child_process|\bprocess\.mainmodule|\bgetclass\(\)|\.forname\(|classloader\(|\bjava\.lang\.|@java|\bjavax\.script|\bprocessbuilder|constructor\(["']|["']constructor["']|constructor\.prototype|getprotectiondomain|class\.getresource\(|\b(?:file\.open|io\.popen|dir\.entries)\(|\bdiagnostics\.process|undefinedfiltercallback|subclasses\(\)|settings\.secret_key|\b(?:application|session)scope\b|\bpagecontext\.request|methodaccessor|_memberaccess|\brequest\|attr\(|_templatereference|\|file_excerpt\(|\bconfig\.iteritems|\bimport os\b|request\.server\.all|\bdump\(app|["']__cla|__init__\.__)|<%=?-?\s{0,3}\``,
    ),
    argumentConfidence: 0.85,
    proseConfidence: 0.5,
  },
  {
    label: "template", // the whole value shows an object of the application
    needles: ["{{", "{%", "{$smarty", "{system", "{if ", "{exec", "{passthru"],
    pattern:
      /^\s{0,3}(?:\{\{\s{0,3}(?:config|self|request|settings|app)\s{0,3}\}\}|\{%\s{0,3}(?:debug|(?:include|extends|import)\s{1,3}["']?\/)|\{\$smarty\.(?:version|template_object|server)|\{(?:if\s{1,3})?(?:system|exec|passthru|phpinfo|shell_exec)\()/,
    argumentConfidence: 0.75,
    proseConfidence: 0.4,
  },
  {
    label: "template", // Velocity, Apache Commons Text and Struts
    needles: ["#set", "${script", "${dns:", "${url:", "%{", ".inspect("],
    pattern:
      /#set\s{0,2}\(\s{0,2}\$\w{1,20}\s{0,2}=\s{0,2}(?:\d{1,7}\s{0,2}[*+-]|["']?\d|["']{2}|"e"|\$\w{1,20}\.(?:inspect|getclass))|\$class\.inspect\(|\$\{script:\w{2,20}:|\$\{dns:(?:address|canonical)|\$\{url:utf|%\{\s{0,3}\(?#\w{1,40}\s{0,3}=/,
    argumentConfidence: 0.85,
    proseConfidence: 0.6,
  },
];
