/** Signatures of command, path traversal, LDAP and XPath injections. */
import type { Signature } from "../signature.ts";

/** Text that starts with a command is a command line, where `|` is ordinary. */
const command =
  /^\s{0,9}(?:[$#%] |[([!{]|\.{0,2}\/(?:usr|bin|sbin|opt|home|etc|[\w-]{1,30}\.sh)\b|~\/|[a-z_]\w{0,30}=|(?:sudo|if|for|while|set|export|alias|echo|printf|cat|less|view|head|tail|find|grep|egrep|sed|awk|nawk|cut|sort|tr|wc|ls|cd|cp|mv|rm|ln|mkdir|touch|chmod|chown|tar|zip|gzip|ssh|scp|rsync|curl|wget|git|docker|kubectl|npm|npx|bun|node|python3?|pip|make|go|cargo|apt|apt-get|yum|brew|systemctl|ps|kill|top|df|du|mount|umount|man|which|xargs|tee|diff|date|time|source|eval|exec|read|test|nohup|watch|screen|tmux|bash|sh|zsh|powershell|ping|nslookup|dig|host|ip|ifconfig|history|who|id|seq|paste|join|comm|split|cpio|rename|file|stat|uname|hostname|yes|basename|dirname|readlink|realpath|md5sum|sha256sum|env|trap|function|let|declare|local|pushd|popd|shopt|bind|complete|crontab|at|jobs|fg|bg|wait|sleep|dd|strace|lsof|netstat|ss|nc|openssl|mysql|psql|sqlite3|perl|ruby|php|java|gcc|vim?|nano|emacs|pgrep|pkill|column|nl|rev|fold|fmt|pr|ipcs|xhost|more|finger|true|false)\s|[a-z][\w.+-]{0,30}\s{1,9}-)/;
const SECRET_FILE = String.raw`(?:etc[/\\]{1,3}(?:passwd|shadow|hosts|group|sudoers)|proc[/\\]{1,3}self|win(?:dows|nt)[/\\]|boot\.ini|win\.ini|\.ssh[/\\]|\.aws[/\\]|web-inf|wp-config|\.htpasswd)`;
const RECON = String.raw`(?:/?(?:usr/)?s?bin/)?(?:id|whoami|uname|ifconfig|ipconfig|netstat|hostname|pwd|env|printenv|ls|dir|ps|ping|sleep|systeminfo|net\s+user|cat\s+/etc/|type\s+c:|nslookup|n(?:c|cat)\s|curl\s|wget\s|rm\s+-|bash\s+-|sh\s+-|powershell|cmd(?:\.exe)?\s+/c|reboot|shutdown|touch\s+/|echo\s)`;
const pattern = (source: string) => new RegExp(source);

export const SYSTEM: readonly Signature<"command" | "path_traversal" | "ldap" | "xpath">[] = [
  {
    label: "command", // value; id
    needles: [";", "|", "&", "\n"],
    pattern: pattern(
      String.raw`^[^;|&\n]{0,60}(?:[;|&+]{1,3}|\n)[\s+]{0,4}${RECON}(?:[\s+\d./:|;&)#'"-]|$)`,
    ),
    unless: command,
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
      String.raw`^[^$\`\n]{0,60}(?:\$\(|\`|\$\{ifs\})[\s+]{0,4}(?:(?:/usr)?/s?bin/)?(?:id|whoami|uname|hostname|ls|cat|ping|sleep|curl|wget|nc|bash|sh|touch|true|false|nslookup|dig|echo)(?:[\s)\`/;|+-]|$)`,
    ),
    unless: command,
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
    needles: ["<!--#", "system(", "passthru(", "popen(", "shell_exec("],
    pattern:
      /<!--#(?:exec|include)\s|^[^\n\w]{0,9}[;"')]\s{0,3}(?:system|passthru|popen|shell_exec)\(\s{0,3}['"]/,
    argumentConfidence: 0.85,
    proseConfidence: 0.7,
  },
  {
    label: "path_traversal", // ../../etc/passwd
    needles: ["..", "0x2e", "%c0", "%25"],
    pattern: pattern(
      String.raw`(?:\.{2,4}[/\\;]{1,4}|\.%00[/\\]|0x2e0x2e(?:0x2f|0x5c|[/\\]))[^\s"'<>]{0,40}${SECRET_FILE}`,
    ),
    argumentConfidence: 0.95,
    proseConfidence: 0.85,
  },
  {
    label: "path_traversal", // more levels than a project has
    needles: ["..", "0x2e"],
    pattern:
      /(?:\.{2,4}(?:[/\\]|0x2f|0x5c){1,4}(?:\.[/\\]{1,3})?){4}|(?:\.\.%(?:00|01|c0%af)){2}|\.{40}/,
    argumentConfidence: 0.8,
    proseConfidence: 0.5,
  },
  {
    label: "path_traversal", // from the root, or to private files of a project
    needles: ["..", "/./", "/.//", "\\.\\", "0x2", "0x5c", ".env", ".git", "web-inf"],
    pattern:
      /^[/\\]{1,9}(?:\.[/\\]{1,3}){0,9}\.{2,8}(?:[/\\]|$)|^(?:\.\.[/\\]{1,3}){3}|(?:[/\\]{1,2}\.){4}|0x2e0x2e|\.\.0x(?:2f|5c)|^\/\.{3}|^\.{6,99}[a-z{]|(?:\.\.[/\\]){1,9}(?:\.env|\.git[/\\])|^web-inf\//,
    argumentConfidence: 0.75,
    proseConfidence: 0.4,
  },
  {
    label: "path_traversal", // full paths that only attackers use
    needles: ["etc/shadow", "boot.ini", "win.ini", "global.asa", "file:"],
    pattern:
      /^[^\s]{0,20}\/etc\/shadow\b|[a-z]:[/\\](?:boot\.ini|win(?:dows|nt)[/\\]win\.ini|inetpub[/\\]\w{1,20}[/\\]global\.asa)|^file:\/{1,3}(?:etc\/|[a-z]:)/,
    argumentConfidence: 0.75,
    proseConfidence: 0.4,
  },
  {
    label: "path_traversal", // encoded, once or twice
    needles: ["%2e", "%252e", "..%", "%c0%ae", "%c0%af", "%u2215", "%uff0e"],
    pattern:
      /(?:%(?:25)?2e|\.){2}(?:%(?:25)?(?:2f|5c)|[/\\])(?:%(?:25)?2e|\.){2}(?:%(?:25)?(?:2f|5c)|[/\\])|\.\.%(?:25)?(?:2f|5c)|%c0%a[ef]|%u2215|%uff0e/,
    argumentConfidence: 0.85,
    proseConfidence: 0.7,
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
