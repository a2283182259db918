/** Signatures of dangerous shell commands. */
import type { Signature } from "../signature.ts";

export const SHELL: readonly Signature<"shell">[] = [
  {
    label: "shell", // rm -rf /
    needles: ["rm -", "rm  -", "rd /s", "rmdir", "del /"],
    pattern:
      /\brm\s{1,4}(?:-[\w-]{1,20}\s{1,4}){1,4}(?:["']?\/(?:["']|\s|\*|$|[;&|)`])|["']?\/(?:bin|boot|etc|lib|sbin|sys|usr|var|home|root)["']?(?:\/?\*?["']?)(?:\s|$|[;&|)`])|["']?(?:~|\$home|\$\{home\})\/?["']?(?:\s|\*|$|[;&|)`]))|\b(?:rmdir|rd)\s{1,4}\/s\s{1,4}(?:\/q\s{1,4})?["']?[a-z]:\\?(?:["'\s]|$)|\bdel\s{1,4}(?:\/[fsq]\s{1,4}){1,3}["']?[a-z]:\\(?:\*|windows)/,
    argumentConfidence: 0.95,
    proseConfidence: 0.75,
  },
  {
    label: "shell", // curl … | sh
    needles: [
      "| sh",
      "|sh",
      "| bash",
      "|bash",
      "| sudo",
      "|sudo",
      "| zsh",
      "| python",
      "|python",
      "$(curl",
      "$(wget",
      "`curl",
      "<(curl",
      "<(wget",
    ],
    pattern:
      /\b(?:curl|wget|fetch)\s[^|\n]{1,300}\|\s{0,4}(?:sudo\s{1,4}(?:-\w\s{1,3})?)?(?:\/bin\/)?(?:ba|z|da|k)?sh\b|\b(?:curl|wget)\s[^|\n]{1,300}\|\s{0,4}(?:sudo\s{1,4})?python\d?\b|\b(?:ba|z)?sh\s{1,4}(?:-c\s{1,4})?["']?(?:\$\(|`|<\()\s{0,3}(?:curl|wget)\b|\beval\s{1,4}["']?(?:\$\(|`)\s{0,3}(?:curl|wget)\b/,
    argumentConfidence: 0.8,
    proseConfidence: 0.6,
  },
  {
    label: "shell", // the same from an IP address without TLS
    needles: ["http://"],
    pattern:
      /\b(?:curl|wget)\s[^|\n]{0,120}http:\/\/(?:\d{1,3}\.){3}\d{1,3}[^|\n]{0,200}(?:\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z|da)?sh\b|&&\s{0,4}(?:chmod\s{1,4}\+x|sh\s|bash\s))/,
    argumentConfidence: 0.95,
    proseConfidence: 0.85,
  },
  {
    label: "shell", // reverse shells
    needles: ["/dev/tcp/", "/dev/udp/", "nc ", "ncat ", "mkfifo", "socat", "mknod"],
    pattern:
      /(?:>&|<>|>|<)\s{0,3}\/dev\/(?:tcp|udp)\/[\w.$-]{1,80}\/|\bn(?:c|cat)(?:\.exe|\.traditional)?\s(?:[^\n|;]{0,80}\s)?-\w{0,6}[ec]\s{0,3}["']?(?:\/bin\/|cmd|powershell|bash|sh)|\bmkfifo\s[^\n]{1,80}\b(?:ba)?sh\s{1,3}-i|\bsocat\s[^\n]{1,160}exec:|\bmknod\s[^\n]{1,60}\bp\b[^\n]{1,80}\b(?:ba)?sh\b/,
    argumentConfidence: 0.95,
    proseConfidence: 0.85,
  },
  {
    label: "shell", // obfuscated PowerShell and download tools of Windows
    needles: [
      "powershell",
      "pwsh",
      "iex",
      "invoke-expression",
      "downloadstring",
      "frombase64string",
      "certutil",
      "bitsadmin",
      "mshta",
      "regsvr32",
      "rundll32",
    ],
    pattern:
      /\b(?:powershell|pwsh)(?:\.exe)?\s[^\n]{0,120}-e(?:nc|ncodedcommand|c)?\s{1,4}["']?[a-z0-9+/=]{16}|\b(?:iex|invoke-expression)\b[^\n]{0,80}(?:downloadstring|invoke-webrequest|iwr\b|irm\b|frombase64string|new-object\s{1,3}net\.webclient)|\bdownloadstring\s{0,3}\([^\n]{1,200}\)\s{0,3}\|\s{0,3}iex\b|\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\s[^|\n]{1,200}\|\s{0,3}iex\b|\bcertutil(?:\.exe)?\s[^\n]{0,60}-(?:urlcache|decode)\b|\bbitsadmin\s[^\n]{0,40}\/transfer\b|\bmshta(?:\.exe)?\s{1,3}["']?(?:https?|javascript|vbscript):|\bregsvr32\s[^\n]{0,60}\/i:http|\brundll32(?:\.exe)?\s{1,3}javascript:/,
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "shell", // fork bombs and overwritten disks
    needles: [
      ":(){",
      ": () {",
      ":()",
      "mkfs",
      "of=/dev/",
      "> /dev/sd",
      ">/dev/sd",
      "/dev/nvme",
      "format c:",
      "vssadmin",
      "cipher /w",
    ],
    pattern:
      /:\s{0,2}\(\)\s{0,2}\{\s{0,2}:\s{0,2}\|\s{0,2}:\s{0,2}&|\bmkfs(?:\.\w{1,9})?\s[^\n]{0,60}\/dev\/|\bdd\s[^\n]{0,120}of=\/dev\/(?:sd|nvme|hd|vd|mmcblk)|>\s{0,2}\/dev\/(?:sd[a-z]|nvme\d)|\bformat\s{1,3}c:|\bvssadmin(?:\.exe)?\s{1,3}delete\s{1,3}shadows|\bcipher\s{1,3}\/w:/,
    argumentConfidence: 0.95,
    proseConfidence: 0.75,
  },
  {
    label: "shell", // decoded data piped into a shell
    needles: ["base64", "xxd", "openssl"],
    pattern:
      /\bbase64\s{1,3}(?:-d|-D|--decode)\b[^\n|]{0,80}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z|da)?sh\b|\bxxd\s{1,3}-r[^\n|]{0,60}\|\s{0,3}(?:ba)?sh\b/,
    argumentConfidence: 0.95,
    proseConfidence: 0.8,
  },
  {
    label: "shell", // persistence, privilege escalation and covering tracks
    needles: [
      "authorized_keys",
      "/etc/sudoers",
      "/etc/passwd",
      "/etc/shadow",
      "crontab",
      "history -c",
      "chmod",
      "ld.so.preload",
      "iptables -f",
      "setenforce 0",
      "unset histfile",
    ],
    pattern:
      />>?\s{0,3}["']?(?:~|\/root|\/home\/\w{1,32}|\$home)\/\.ssh\/authorized_keys|>>?\s{0,3}\/etc\/(?:sudoers|passwd|shadow|ld\.so\.preload)|\|\s{0,3}(?:sudo\s{1,3})?tee\s{1,3}(?:-a\s{1,3})?\/etc\/(?:sudoers|passwd|shadow)|\|\s{0,3}crontab\s{1,3}-(?:\s|$)|\bhistory\s{1,3}-c\b\s{0,3}(?:&&|;)|\bunset\s{1,3}histfile\b|\bchmod\s{1,3}(?:-r\s{1,3})?(?:u\+s|[+]s|[42]7[57]5)\s[^\n]{0,30}(?:\/bin\/|\/tmp\/)|\bchmod\s{1,3}-r\s{1,3}0?777\s{1,3}\/(?:\s|$)/,
    argumentConfidence: 0.8,
    proseConfidence: 0.5,
  },
];
