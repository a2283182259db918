/** Signatures of path traversal and file inclusion. */
import type { Signature } from "../signature.ts";

/** Separators of paths, possibly repeated. */
const SLASH = String.raw`[/\\]{1,3}`;
/** Files of the system that attackers read, without the first slash. */
const SYSTEM_FILE = [
  String.raw`etc${SLASH}(?:passwd|shadow|gshadow|group|sudoers|hosts|issue|motd|crontab|fstab|hostname|resolv\.conf|master\.passwd|my\.cnf|inetd\.conf|syslog\.conf|vsftpd\.conf|php\.ini|httpd\.conf|(?:security|ssh|ssl|mysql|apache2?|https?d?|nginx|php[\w.]{0,6}|proftpd|pure-ftpd|vsftpd|samba|network|cron\.\w{1,9}|init\.d|logrotate\.d)${SLASH})`,
  String.raw`proc${SLASH}(?:self|\d{1,7}|version|cmdline|cpuinfo|meminfo|loadavg|mounts|partitions|interrupts|sched_debug|net)(?![\w-])`,
  String.raw`var${SLASH}(?:log|mail|adm)${SLASH}\w|var${SLASH}spool${SLASH}(?:mail|cron)|var${SLASH}lib${SLASH}(?:mysql|php)|var${SLASH}run${SLASH}secrets|run${SLASH}secrets`,
  String.raw`win(?:dows|nt)${SLASH}|boot\.ini|win\.ini|sysprep\.inf|inetpub${SLASH}|system32${SLASH}`,
].join("|");
/** Files with credentials or private settings, in any folder. */
const PRIVATE_FILE = String.raw`\.ssh${SLASH}|\.aws${SLASH}|\.htpasswd|\.htaccess|\.(?:ba|z|k|)sh_history|\.my\.cnf|\.pgpass|\.netrc|\.rhosts|wp-config|web-inf|meta-inf`;
/** Settings and logs of servers. */
const SERVER_FILE = String.raw`(?:apache2?|httpd|nginx|lampp|xampp|tomcat\d?|cpanel|php\d?|logs?)${SLASH}(?:[\w.-]{1,40}${SLASH}){0,3}(?:access|error|httpd|nginx|php|server|tomcat-users|my|apache2?)[._](?:log|conf|ini|xml|cnf)`;
const pattern = (source: string) => new RegExp(source);

export const FILES: readonly Signature<"path_traversal" | "file_inclusion">[] = [
  {
    label: "path_traversal", // ../../etc/passwd
    needles: ["..", "0x2e"],
    pattern: pattern(
      String.raw`(?:\.{2,4}[/\\;]{1,4}|\.%00[/\\]|0x2e0x2e(?:0x2f|0x5c|[/\\]))[^\s"'<>]{0,40}(?:${SYSTEM_FILE}|${PRIVATE_FILE})`,
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
    label: "path_traversal", // encoded, once or twice, or in overlong UTF-8
    needles: [
      "%2e",
      "%252e",
      "..%",
      "%c0%a",
      "%e0%80%a",
      "%f0%80%80%a",
      "%u2215",
      "%uff0e",
      "%5c..",
    ],
    pattern:
      /(?:%(?:25)?2e|\.){2}(?:%(?:25)?(?:2f|5c)|[/\\])(?:%(?:25)?2e|\.){2}(?:%(?:25)?(?:2f|5c)|[/\\])|\.\.%(?:25)?(?:2f|5c|00[/\\]|c[01]%|e0%80%|f0%80%|bg%)|%(?:25)?(?:c0|e0%80|f0%80%80)%(?:25)?a[ef]|%u2215|%uff0e|(?:%5c\.\.(?:%25)?(?=%)){2}/,
    argumentConfidence: 0.85,
    proseConfidence: 0.7,
  },
  {
    label: "path_traversal", // names of dots and path parameters that a server removes
    needles: ["..;/", ".../", "...\\", "..\\/", "../\\"],
    pattern:
      /\.\.;[/\\]|(?:(?<![.\w\\)}])\.{3,4}[/\\]{1,2}(?:\.[/\\])?){2}|(?:\.{3,4}[/\\]{1,2}){3}|(?<!\.)\.\.(?:\\\/|\/\\)/,
    argumentConfidence: 0.8,
    proseConfidence: 0.5,
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
      "rar://",
      "ssh2.",
      "file:/",
      "data://text",
      "file:///",
    ],
    pattern:
      /\bphp:\/\/(?:input|filter|stdin|fd|memory|temp)|\bexpect:\/\/\w|\bphar:\/\/[\w./]|\bcompress\.(?:zlib|bzip2):\/\/|\bzip:\/\/[\w./]{1,80}#|\bdata:\/\/text\/\w{1,20}[,;]|\b(?:rar|ogg):\/\/[\w./]|\bssh2\.\w{2,9}:\/\/|\b(?:zlib|glob):\/\/\/|\bfile:\/{1,3}(?:localhost\/)?(?:etc\/|proc\/|c:|var\/log|root\/|home\/\w{1,30}\/\.)/,
    argumentConfidence: 0.9,
    proseConfidence: 0.6,
  },
  {
    label: "file_inclusion", // ?page=http://…/shell.txt?
    needles: ["=http", "=ftp", "=//", "=\\\\"],
    pattern:
      /[?&](?:page|file|path|include|inc|template|document|doc|root|dir|cat|action|board|date|detail|download|prefix|content|layout|mod|conf|url|site|folder|pg|style|php_path|lang|view|module|load)=(?:(?:https?|ftp):\/\/|\/\/|\\\\)[^\s&"'<>]{1,120}\.(?:txt|php\d?|inc|jsp|aspx?|sh)\b/,
    argumentConfidence: 0.8,
    proseConfidence: 0.6,
  },
  {
    label: "file_inclusion", // the value is the path of a file with credentials
    needles: [
      ...["etc/passwd", "etc/shadow", "etc/gshadow", "etc/sudoers", "master.passwd", "run/secrets"],
      ...[".ssh", ".aws", ".htpasswd", "sh_history", ".my.cnf", ".pgpass", ".netrc", ".rhosts"],
      ...[
        "proc/",
        "etc\\passwd",
        "boot.ini",
        "win.ini",
        "config/sam",
        "config\\sam",
        "repair\\sam",
      ],
      ...["unattend", "sysprep.inf", "web-inf", "meta-inf", "wp-config", "tomcat-users"],
    ],
    pattern: pattern(
      String.raw`^(?:[^\s=]{0,120}[?&]\w{1,20}=|\w{1,20}=)?(?:~?/{0,3}|[a-z]:${SLASH})(?:[\w.-]{1,40}${SLASH}){0,5}(?:(?:etc${SLASH}(?:passwd|shadow|gshadow|sudoers|master\.passwd))|proc${SLASH}(?:self|\d{1,7})${SLASH}\w{2,9}|run${SLASH}secrets${SLASH}|\.ssh${SLASH}(?:id_|authorized)|\.aws${SLASH}cred|\.htpasswd|\.(?:ba|z|k|)sh_history|\.my\.cnf|\.pgpass|\.netrc|\.rhosts|boot\.ini|win\.ini|(?:config|repair)${SLASH}sam|unattend\.xml|sysprep\.inf|web-inf${SLASH}|meta-inf${SLASH}|wp-config\.php|tomcat-users\.xml)[^\s]{0,60}$`,
    ),
    argumentConfidence: 0.8,
    proseConfidence: 0.3,
  },
  {
    label: "file_inclusion", // the value is the path of a file of the system or of a server
    needles: [
      ...["etc/", "proc/", "var/", "/.ht", "/.env", "/.git/", "windows", "inetpub", "inetsrv"],
      ...[
        "/logs/",
        "\\logs\\",
        "php.ini",
        "httpd.conf",
        "php\\php",
        "conf/server.xml",
        "nginx.conf",
      ],
    ],
    pattern: pattern(
      String.raw`^(?:[^\s=]{0,120}[?&]\w{1,20}=|\w{1,20}=)?(?:/{1,3}(?:${SYSTEM_FILE}|\.(?:htaccess|env$|git/config))|[a-z]:${SLASH}(?:${SYSTEM_FILE})|[a-z]:${SLASH}[^\s]{0,60}inetsrv${SLASH}|(?:/{1,3}|[a-z]:${SLASH})(?:[\w. -]{1,40}${SLASH}){0,4}${SERVER_FILE})[^\n"'<>|;&]{0,80}$`,
    ),
    argumentConfidence: 0.7,
    proseConfidence: 0.2,
  },
  {
    label: "file_inclusion", // a null byte, a web shell or PHP code in a data URL
    needles: [
      ...[
        "%00",
        "data:t",
        "data:a",
        "data:,",
        "data:;",
        "c99.",
        "r57.",
        "/shell.",
        "b374k",
        "/wso.",
      ],
      ...["/cmd.", "/webshell.", "\\\\"],
    ],
    pattern:
      /[a-z/]%(?:25)?00(?:\.\w{2,5})?(?:&|$)|\bdata:[\w/+.-]{0,40}(?:;\w{1,20}(?:=[\w-]{1,20})?){0,2},(?:<\?|%3c%3f|pd9)|\bdata:application\/x-httpd-php|(?:https?:|ftp:)?\/\/[^\s]{1,120}\/(?:c99|r57|b374k|wso|(?:web)?shell|cmd)\.(?:txt|php\d?|aspx?|jsp)\b|^\\\\[\w.-]{1,60}\\[^\s]{1,80}\.(?:php\d?|aspx?|jsp|sh|ps1)$/,
    argumentConfidence: 0.75,
    proseConfidence: 0.4,
  },
];
