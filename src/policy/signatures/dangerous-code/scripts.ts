/** Signatures of dangerous JavaScript, Python, PHP and Ruby. */
import type { Signature } from "../signature.ts";

type Label = "javascript" | "python" | "php" | "ruby";

export const SCRIPTS: readonly Signature<Label>[] = [
  {
    label: "javascript", // exfiltration of cookies and storage
    needles: ["document.cookie", "localstorage", "sessionstorage"],
    pattern:
      /(?:\bsrc\s{0,3}=|\blocation(?:\.href)?\s{0,3}=|\.open\(|fetch\(|sendbeacon\(|\.send\(|\.post\(|\bhref\s{0,3}=)[^\n;]{0,160}(?:document\.cookie|(?:local|session)storage\b)|\bnew\s{1,3}image\b[^\n]{0,80}document\.cookie/,
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "javascript", // evaluation of decoded text
    needles: ["eval(", "function(", "settimeout(", "setinterval(", "constructor("],
    pattern:
      /(?<![\w.])eval\s{0,3}\(\s{0,3}(?:atob\(|unescape\(|decodeuri|string\.fromcharcode|buffer\.from|function\s{0,2}\(p,a,c,k|location\.|window\.name|document\.)|\bnew\s{1,3}function\s{0,3}\(\s{0,3}(?:atob|unescape|buffer\.from|["'`]return\s{1,3}(?:process\b|(?:this|global)["'`;]))|\bconstructor\s{0,3}\(\s{0,3}["'`]return\s{1,3}(?:process|this)|\bset(?:timeout|interval)\s{0,3}\(\s{0,3}["'`]?\s{0,3}(?:atob\(|eval\()/,
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "javascript", // eval of an expression
    needles: ["eval(", "new function"],
    pattern:
      /(?<![\w.])eval\s{0,3}\(\s{0,3}[a-z_$][\w$]{0,40}|\bnew\s{1,3}function\s{0,3}\(\s{0,3}[a-z_$]/,
    argumentConfidence: 0.6,
    proseConfidence: 0.35,
  },
  {
    label: "javascript", // commands
    needles: ["child_process", "mainmodule", "process.binding"],
    pattern:
      /require\(\s{0,3}["'`](?:node:)?child_process["'`]\s{0,3}\)\s{0,3}\.\s{0,3}(?:exec|spawn|fork)|\bprocess\s{0,3}\.\s{0,3}(?:mainmodule|binding\s{0,3}\()|\bfrom\s{1,3}["'](?:node:)?child_process["']|require\(\s{0,3}["'`](?:node:)?child_process/,
    argumentConfidence: 0.75,
    proseConfidence: 0.4,
  },
  {
    label: "javascript", // reverse shell
    needles: ["net.socket", "net.connect", "createconnection"],
    pattern:
      /(?:net\.socket|net\.connect|createconnection)\s{0,3}\([^\n]{0,100}(?:\n[^\n]{0,100}){0,3}(?:\/bin\/(?:ba)?sh|cmd\.exe|\.pipe\(\s{0,3}sh\b)|\bspawn\(\s{0,3}["']\/bin\/(?:ba)?sh["'][^\n]{0,80}(?:\n[^\n]{0,100}){0,3}net\.socket/,
    argumentConfidence: 0.9,
    proseConfidence: 0.8,
  },
  {
    label: "python", // dynamic import and access to internals
    needles: ["__import__", "__builtins__", "__subclasses__", "__globals__"],
    pattern:
      /__import__\s{0,3}\(\s{0,3}["'](?:os|subprocess|pty|socket|commands|shutil|ctypes)["']\s{0,3}\)|__builtins__\s{0,3}(?:\[|\.)[^\n]{0,40}(?:eval|exec|__import__|open)|__subclasses__\(\)\s{0,3}\[|__globals__\s{0,3}\[/,
    argumentConfidence: 0.9,
    proseConfidence: 0.7,
  },
  {
    label: "python", // execution of encoded code
    needles: ["exec(", "eval("],
    pattern:
      /(?<![\w.])(?:exec|eval)\s{0,3}\(\s{0,3}(?:compile\s{0,3}\(\s{0,3}["'b]|base64\.|b64decode|zlib\.|codecs\.|bytes\.fromhex|marshal\.loads|requests\.get|urllib|__import__|binascii\.)/,
    argumentConfidence: 0.95,
    proseConfidence: 0.8,
  },
  {
    label: "python", // eval and exec of an expression
    needles: ["exec(", "eval("],
    pattern:
      /(?<![\w.])(?:exec|eval)\s{0,3}\(\s{0,3}(?:input\(|request\.|sys\.argv|user_|f["']|open\(|[a-z_]\w{0,40}\s{0,3}[),+])/,
    argumentConfidence: 0.6,
    proseConfidence: 0.35,
  },
  {
    label: "python", // commands
    needles: [
      "os.system",
      "os.popen",
      "shell=true",
      "shell = true",
      "commands.getoutput",
      "pty.spawn",
      "os.exec",
    ],
    pattern:
      /\bos\.(?:system|popen|exec[lv]p?e?)\s{0,3}\(|\bsubprocess\.\w{1,20}\([^\n]{0,200}shell\s{0,2}=\s{0,2}true|\bcommands\.getoutput\(|\bpty\.spawn\(/,
    argumentConfidence: 0.7,
    proseConfidence: 0.4,
  },
  {
    label: "python", // destructive commands and reverse shells
    needles: ["os.system", "subprocess", "os.dup2", "pty.spawn", "shutil.rmtree"],
    pattern:
      /\bos\.(?:system|popen)\s{0,3}\(\s{0,3}[rf]?["'][^"'\n]{0,60}(?:rm\s{1,3}-\w{0,3}[rf]\w{0,3}\s{1,3}[/~*]|mkfs|\/dev\/tcp|nc\s{1,3}-|(?:curl|wget)[^"'\n]{0,80}\|\s{0,3}(?:ba)?sh)|\bos\.dup2\s{0,3}\(\s{0,3}\w{1,20}\.fileno\(\)|\bpty\.spawn\s{0,3}\(\s{0,3}["'](?:\/bin\/)?(?:ba)?sh|\bsubprocess\.\w{1,20}\(\s{0,3}\[\s{0,3}["']\/bin\/(?:ba)?sh["']\s{0,3},\s{0,3}["']-i|\bshutil\.rmtree\s{0,3}\(\s{0,3}["'](?:\/|~|c:\\\\?)["']/,
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "python", // unsafe deserialization
    needles: ["pickle", "marshal", "yaml", "dill", "shelve", "jsonpickle"],
    pattern:
      /\b(?:c?pickle|dill|marshal|jsonpickle)\.(?:loads?|decode)\s{0,3}\(\s{0,3}(?:base64|b64decode|request|input\(|sock|conn|zlib|bytes\.fromhex|["'b])|\byaml\.(?:unsafe_load|full_load)\s{0,3}\(|\byaml\.load\s{0,3}\([^\n]{0,80}loader\s{0,2}=\s{0,2}(?:yaml\.)?(?:unsafe|full)?loader\s{0,2}\)|!!python\/object/,
    argumentConfidence: 0.75,
    proseConfidence: 0.5,
  },
  {
    label: "php", // web shells
    needles: ["$_get", "$_post", "$_request", "$_cookie", "php://input"],
    pattern:
      /(?<![\w>:])(?:eval|assert|system|exec|shell_exec|passthru|popen|proc_open|create_function|preg_replace_callback|include|include_once|require|require_once|unserialize)[\s@]{0,3}\(?[\s@"']{0,4}(?:stripslashes\(|base64_decode\(|trim\()?\s{0,3}(?:\$_(?:get|post|request|cookie|server|files)\b|file_get_contents\(\s{0,3}["']php:\/\/input)|`\s{0,3}\$_(?:get|post|request|cookie)\[/,
    argumentConfidence: 0.95,
    proseConfidence: 0.75,
  },
  {
    label: "php", // execution of encoded code
    needles: ["base64_decode", "gzinflate", "str_rot13", "gzuncompress", "hex2bin"],
    pattern:
      /(?<![\w>:])(?:eval|assert|create_function)[\s@]{0,3}\(\s{0,3}(?:base64_decode|gzinflate|gzuncompress|str_rot13|hex2bin|urldecode|strrev)\s{0,3}\(/,
    argumentConfidence: 0.95,
    proseConfidence: 0.85,
  },
  {
    label: "php", // commands
    needles: ["shell_exec", "passthru", "proc_open", "pcntl_exec", "<?php"],
    pattern:
      /\b(?:shell_exec|passthru|proc_open|pcntl_exec)\s{0,3}\(\s{0,3}["'$]|<\?php[^\n]{0,80}\b(?:system|exec)\s{0,3}\(/,
    argumentConfidence: 0.75,
    proseConfidence: 0.4,
  },
  {
    label: "ruby", // commands and deserialization
    needles: [
      "kernel.",
      "%x",
      "io.popen",
      "marshal.load",
      "instance_eval",
      "@{[system",
      "open3",
      "yaml.load",
    ],
    pattern:
      /\bkernel\.(?:exec|system|spawn|eval)\s{0,3}[("']|\bio\.popen\s{0,3}[("']|\bmarshal\.load\s{0,3}\(\s{0,3}(?:params|request|base64|cookies)|\binstance_eval\s{0,3}\(\s{0,3}(?:params|request)|@\{\[\s{0,3}system\s|%x[({[][^\n)]{0,60}(?:rm|curl|wget|nc|bash)\s/,
    argumentConfidence: 0.75,
    proseConfidence: 0.5,
  },
];
