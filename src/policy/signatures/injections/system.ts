/** Signatures of command, LDAP and XPath injections. */
import type { Signature } from "../signature.ts";

/** Text that starts with a command is a command line, where `|` is ordinary; `name|id` is a list of names. */
const commandOrList =
  /(?:^\s{0,9}(?:[$#%] |#!|[([!{]|\.{0,2}\/(?:usr|bin|sbin|opt|home|etc|[\w-]{1,30}\.sh)\b|~\/|[a-z_]\w{0,30}=|(?:sudo|if|for|while|set|export|alias|echo|printf|cat|less|view|head|tail|find|grep|egrep|sed|awk|nawk|cut|sort|tr|wc|ls|cd|cp|mv|rm|ln|mkdir|touch|chmod|chown|tar|zip|gzip|ssh|scp|rsync|curl|wget|git|docker|kubectl|npm|npx|bun|node|python3?|pip|make|go|cargo|apt|apt-get|yum|brew|systemctl|ps|kill|top|df|du|mount|umount|man|which|xargs|tee|diff|date|time|source|eval|exec|read|test|nohup|watch|screen|tmux|bash|sh|zsh|powershell|ping|nslookup|dig|host|ip|ifconfig|history|who|id|seq|paste|join|comm|split|cpio|rename|file|stat|uname|hostname|yes|basename|dirname|readlink|realpath|md5sum|sha256sum|env|trap|function|let|declare|local|pushd|popd|shopt|bind|complete|crontab|at|jobs|fg|bg|wait|sleep|dd|strace|lsof|netstat|ss|nc|openssl|mysql|psql|sqlite3|perl|ruby|php|java|gcc|vim?|nano|emacs|pgrep|pkill|column|nl|rev|fold|fmt|pr|ipcs|xhost|more|finger|true|false)\s|[a-z][\w.+-]{0,30}\s{1,9}-)|^[\w-]{2,40}(?:\|[\w-]{1,40}){1,40}$|^[\w.$@/-]{1,40}\s{0,3}\|\s{0,3}(?:awk|sed|e?grep|tail|head|less|more|tee|sort|wc|cut|xargs|tr|uniq|column)\s|^\|(?:[^|\n]{1,60}\|){2})/;
/** Commands that say by themselves that the value is an attack. */
const RECON = String.raw`(?:(?:/?(?:usr/)?s?bin/)?(?:id|whoami|uname|ifconfig|ipconfig|netstat|hostname|pwd|env|printenv|ls|dir|ps|ping|sys(?:tem)?info|tasklist|net\s{1,3}(?:user|localgroup|view|use|share|start|stop)|nslookup|powershell|cmd(?:\.exe)?\s{1,3}/c|reboot|shutdown|useradd|usermod|netsh|wmic|crontab|getent)(?=[\s+\d./:|;&)#'"\\%-]|$)|(?:/?(?:usr/)?s?bin/)?(?:cat\s{1,3}/etc/|type\s{1,3}[%c]|n(?:c|cat)\s|sleep\s{1,3}\d{1,4}(?!\s{0,3}\w)|rm\s{1,3}-|bash\s{1,3}-|sh\s{1,3}-|touch\s{1,3}/)|phpinfo\(\)|(?:system|exec|shell_exec|passthru|popen)\s{0,2}\(\s{0,2}["'])`;
/** Commands that are also words or names of languages: they need arguments of a shell. */
const TOOL = String.raw`(?:/?(?:usr/)?s?bin/)?(?:curl|wget|cat|head|tail|more|less|type|find|e?grep|touch|kill(?:all)?|timeout|set|date|w|who|which|mail|route|ver|vol|cp|mv|ln|mkdir|rmdir|del|copy|move|tar|awk|sed|dd|mount|tee|export|su|sudo|host|history|dig|telnet|ssh|socat|perl|ruby|python[23]?|php|node|(?:ba|z|k|da)?sh|chmod|chown|reg\s{1,3}(?:add|query|delete)|arp|traceroute|tracert|iptables|rundll32|certutil|mshta|schtasks|echo)`;
/** First argument of a command: an option, a path, a URL, a variable, a quoted text, an address or an account. */
const SHELL_ARGUMENT = String.raw`\s{1,3}(?:[-/~$%"'*<>]|https?:|[a-z]:\\|\d{1,4}(?:\s|$|[;|&#'"\\])|\d{1,3}(?:\.\d{1,3}){3}|\.{0,2}/|[\w.-]{1,40}(?:@[\w.-]|:[\w/]|/[\w*])|[\w-]{1,40}\.[a-z]\w{1,8}(?:[\s;|&#'"]|$)|[\w-]{1,20}\s{1,3}[-/~$]|[\w-]{1,20}\s{0,3}(?:$|[;|&#\n'"\\]))`;
const SEPARATOR = String.raw`[;|&+]{1,3}[\s+]{0,4}`;
/** Nothing, one character, or a word with punctuation: an address, a file name, a closed parenthesis. */
const VALUE = String.raw`(?:[^\s;|&]?|[^\s;|&]{0,40}[^\w\s;|&][^\s;|&]{0,20})["'\s)]{0,4}`;
const pattern = (source: string) => new RegExp(source);

export const SYSTEM: readonly Signature<"command" | "ldap" | "xpath">[] = [
  {
    label: "command", // value; id, 127.0.0.1; wget http://…
    needles: [";", "|", "&", "\n"],
    pattern: pattern(
      String.raw`^(?:[^;|&\n]{0,60}${SEPARATOR}${RECON}|${VALUE}(?:(?:${SEPARATOR}|\n[\s+]{0,4})${TOOL}${SHELL_ARGUMENT}|\n${RECON})|["'\s)\\]{0,4}${SEPARATOR}(?:${TOOL}|${RECON})["']?\s{0,3}(?:$|[;|&#\\]))`,
    ),
    unless: commandOrList,
    argumentConfidence: 0.8,
    proseConfidence: 0.3,
  },
  {
    label: "command", // value%0Aid
    needles: ["%0a", "%0d", "\\n", "\\r"],
    pattern: pattern(
      String.raw`(?:^[^\s;|&]{0,60}(?:%0[ad]){1,2}(?:%20|[\s+]){0,4}(?:${RECON}|${TOOL}(?:%20|\s)(?:%20|[-/~$"'\w]))|^["']?(?:\\[nr]){1,2}${RECON})`,
    ),
    argumentConfidence: 0.8,
    proseConfidence: 0.3,
  },
  {
    label: "command", // ; rm -rf /, | nc -e
    needles: [
      "rm -",
      "rm  -",
      "nc ",
      "ncat ",
      "/etc/passwd",
      "/etc/shadow",
      "| sh",
      "|sh",
      "| bash",
      "|bash",
      "/bin/sh",
      "/bin/bash",
    ],
    pattern:
      /(?:;|\|\|?|&&?)\s{0,4}(?:(?:sudo\s{1,3})?rm\s{1,3}-\w{0,4}[rf]\w{0,4}\s{1,3}(?:--no-preserve-root\s{1,3})?(?:\/(?:\s|\*|$|["'`;)])|~|\$home)|n(?:c|cat)\s[^\n|;]{0,60}-[a-z]{0,4}e\s|cat\s{1,3}\/etc\/(?:passwd|shadow)|(?:\/bin\/)?(?:ba)?sh\s{1,3}-i\b)|^[^;|&\n]{0,40}(?:curl|wget)\s[^|\n]{0,200}\|\s{0,4}(?:sudo\s{1,3})?(?:ba|z|da)?sh\b/,
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "command", // $(whoami), `id`
    needles: ["$(", "`", "${"],
    pattern: pattern(
      String.raw`^[^$\`\n]{0,60}(?:\$\(\`?|\`|\$\{ifs\})[\s+]{0,4}(?:(?:/usr)?/s?bin/)?(?:id|whoami|uname|hostname|ls|cat|ping|sleep|curl|wget|nc|bash|sh|touch|true|false|nslookup|dig|echo|dir|pwd|ifconfig|netstat|phpinfo)(?:[\s)\`/;|+-]|$)`,
    ),
    unless: commandOrList,
    argumentConfidence: 0.8,
    proseConfidence: 0.2,
  },
  {
    label: "command", // ; $(…) and ; `…` with a network or shell command
    needles: ["$(", "`"],
    pattern:
      /(?:;|&&)\s{0,4}(?:\$\(|`)\s{0,4}(?:(?:id|whoami|uname)(?=\s{0,3}[`)|;&]|\s{1,3}-)|(?:curl|wget|nc|bash|sh|cat\s{1,3}\/etc)\b)/,
    argumentConfidence: 0.85,
    proseConfidence: 0.7,
  },
  {
    label: "command", // server-side includes, and a call after a quote
    needles: [
      "<!--#",
      "system(",
      "passthru(",
      "popen(",
      "exec(",
      "eval(",
      "phpinfo(",
      "phpversion(",
    ],
    pattern:
      /<!--#(?:exec|include)\s|^[^\n\w]{0,9}[;"')]\s{0,3}(?:system|passthru|popen|shell_exec)\(\s{0,3}['"]|^[\s;:'")]{0,4}(?:php(?:info|version)\(\)|(?:eval|exec|system|shell_exec|passthru|popen)\(\s{0,2}["'](?:\/?\w{0,4}\/?bin\/)?(?:id|ls|dir|pwd|cat|whoami|sleep|echo|curl|wget|ping|uname)\b)/,
    argumentConfidence: 0.85,
    proseConfidence: 0.7,
  },
  {
    label: "command", // __import__('os').system('id'): an expression that loads a module and calls it
    needles: ["__import__", "import_module(", "child_process", "getruntime("],
    pattern:
      /(?:\b__import__|\bimport_module)\s{0,3}\(\s{0,3}["'](?:os|posix|nt|subprocess|pty|commands|popen2|socket|shutil|ctypes|builtins)["']\s{0,3}\)\s{0,3}\.\s{0,3}\w{1,30}|\bmainmodule\s{0,3}\.\s{0,3}require\s{0,3}\(\s{0,3}["'`](?:node:)?child_process["'`]|^[^\w\n]{0,9}(?:require\s{0,3}\(\s{0,3}["'`](?:node:)?child_process["'`]\s{0,3}\)\s{0,3}\.\s{0,3}(?:exec|spawn|fork)|(?:t\()?(?:java\.lang\.)?runtime\)?\s{0,3}\.\s{0,3}getruntime\(\)\s{0,3}\.\s{0,3}exec\s{0,3}\()/,
    argumentConfidence: 0.85,
    proseConfidence: 0.6,
  },
  {
    label: "command", // Shellshock, and PHP that runs a command
    needles: ["() {", "(){", "{${", "${@", "<?"],
    pattern:
      /\(\)\s{0,3}\{\s{0,3}:;\s{0,3}\}\s{0,3};|\$\{\s{0,2}@?(?:print|system|phpinfo|sleep|eval|exec|passthru)\s{0,2}\(|<\?(?:php|=)?\s{0,3}(?:(?:system|passthru|shell_exec|exec|eval|phpinfo)\s{0,2}\(|`)/,
    argumentConfidence: 0.9,
    proseConfidence: 0.6,
  },
  {
    label: "command", // words without white space, or with quotes inside
    needles: [
      "$ifs",
      "${ifs",
      "{cat,",
      "{ls,",
      "{curl,",
      "{wget,",
      "</etc/",
      "$@",
      "$()",
      "/???/",
      "c'a",
      'c"a',
      "c\\a",
      "w'h",
      'w"h',
      "w\\h",
      "``",
    ],
    pattern:
      /\w\$\{ifs\}|\w\$ifs(?:\$\d|[/-])|\{(?:cat|ls|curl|wget),[-/\w]|\bcat\s{0,2}<\s{0,2}\/etc\/|\b[a-z]{2,9}(?:\$@|\$\(\)|``)[a-z]{2,9}\b|\/\?{2,3}\/[\w?]{0,9}\?|\bc['"\\]{1,2}a['"\\]{0,2}t['"\\]{0,2}\s{1,3}\/|\bw['"\\]{1,2}h['"\\]{0,2}o['"\\]{0,2}a['"\\]{0,2}m['"\\]{0,2}i\b/,
    argumentConfidence: 0.8,
    proseConfidence: 0.4,
  },
  {
    label: "ldap", // *)(uid=*))(|(uid=*
    needles: [")(", "*))", ")%28"],
    pattern:
      /[*\w]\)\s{0,2}\(\s{0,2}(?:[|&!]\s{0,2}\(\s{0,2}[\w-]{1,40}\s{0,2}[~<>]?=|\w{1,30}\s{0,2}=\s{0,2}\*\s{0,2}\)|(?:uid|cn|objectclass|userpassword|mail|sn)\s{0,2}=)|\*\)\)(?:%00|\(\|)|\)\(\|\(/,
    unless: /^\s{0,4}\([&|!]?\s{0,2}\(/,
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "xpath", // '] | //user/*, ' or count(/*)=1
    needles: ["//", "count(", "string-length(", "substring(", "name("],
    pattern:
      /['"]\s{0,3}\]\s{0,3}\|\s{0,3}\/\/|['")]\s{0,3}(?:or|and)\s{1,3}(?:not\()?(?:count\(\s{0,2}\/|string-length\(\s{0,2}(?:name\(|\/\/)|substring\(\s{0,2}(?:name\(|\/\/)|name\(\s{0,2}\/|\/\/\w)|['"]\s{0,3}\]\s{0,3}\/(?:\.\.|parent::|following)/,
    argumentConfidence: 0.9,
    proseConfidence: 0.8,
  },
];
