/** Signatures of dangerous SQL, HTML, Java and C#. */
import type { Signature } from "../signature.ts";

type Label = "sql" | "html" | "java" | "csharp";

export const OTHER: readonly Signature<Label>[] = [
  {
    label: "sql", // commands and file access through the database
    needles: [
      "xp_cmdshell",
      "sp_oacreate",
      "into outfile",
      "into dumpfile",
      "load_file",
      "from program",
      "to program",
      "sys_exec",
      "lo_export",
      "sp_configure",
      "load data",
    ],
    pattern:
      /\bxp_cmdshell\b\s{0,4}(?:['"(@;]|$)|\bsp_oacreate\b|\binto\s{1,4}(?:outfile|dumpfile)\s{1,4}['"]|\bload_file\s{0,3}\(\s{0,3}['"(0]|\bcopy\s[^\n;]{0,120}(?:from|to)\s{1,4}program\s{1,4}['"]|\bsys_exec\s{0,3}\(|\blo_export\s{0,3}\(|\bsp_configure\s{1,4}'xp_cmdshell/,
    argumentConfidence: 0.9,
    proseConfidence: 0.6,
  },
  {
    label: "sql", // drops tables and databases
    needles: ["drop ", "truncate "],
    pattern:
      /\bdrop\s{1,4}(?:table|database|schema)\s{1,4}(?:if\s{1,4}exists\s{1,4})?[`"[]?[a-z_][\w.$-]{0,60}[`"\]]?\s{0,4}(?:;|--|cascade\b|$)|\btruncate\s{1,4}table\s{1,4}[`"[]?[a-z_][\w.]{0,60}/,
    argumentConfidence: 0.8,
    proseConfidence: 0.5,
  },
  {
    label: "sql", // changes every row
    needles: ["delete from", "update "],
    pattern:
      /\bdelete\s{1,4}from\s{1,4}[`"[]?[a-z_][\w.]{0,60}[`"\]]?\s{0,4}(?:;\s{0,4}(?:--[^\n]{0,80})?(?:\n|$)|$|where\s{1,4}(?:1\s{0,2}=\s{0,2}1|true)\b)|\bupdate\s{1,4}[a-z_][\w.]{0,60}\s{1,4}set\s[^\n;]{1,160}where\s{1,4}(?:1\s{0,2}=\s{0,2}1|true)\b/,
    argumentConfidence: 0.75,
    proseConfidence: 0.5,
  },
  {
    label: "sql", // grants all privileges
    needles: ["grant all", "identified by"],
    pattern: /\bgrant\s{1,4}all\s{1,4}(?:privileges\s{1,4})?on\s{1,4}\*\.\*\s{1,4}to\b/,
    argumentConfidence: 0.7,
    proseConfidence: 0.4,
  },
  {
    label: "html", // event handlers and script URLs
    needles: ["onerror", "onload", "onmouseover", "onfocus", "ontoggle", "javascript:", "srcdoc"],
    pattern:
      /<(?:img|svg|body|iframe|video|audio|input|details|marquee|object|embed)\b[^>]{0,160}\son\w{3,20}\s{0,3}=\s{0,3}["'`]?\s{0,3}(?:alert|prompt|confirm|eval|fetch|document\.|window\.location|location|javascript:|import\(|new\s{1,3}image)|<(?:a|iframe|form|object|embed)\b[^>]{0,160}\s(?:href|src|action|data|srcdoc)\s{0,3}=\s{0,3}["'`]?\s{0,3}(?:javascript:\s{0,3}(?:alert|eval|prompt|confirm|document|fetch|window)|data:text\/html|&lt;script|<script)/,
    argumentConfidence: 0.85,
    proseConfidence: 0.7,
  },
  {
    label: "html", // external scripts and redirects
    needles: ["<script", "<meta", "<base"],
    pattern:
      /<script[^>]{0,80}\ssrc\s{0,3}=\s{0,3}["']?https?:\/\/(?:\d{1,3}\.){3}\d{1,3}|<script[^>]{0,80}\ssrc\s{0,3}=\s{0,3}["']?data:|<meta\s[^>]{0,60}http-equiv\s{0,3}=\s{0,3}["']?refresh["']?[^>]{0,60}url\s{0,3}=\s{0,3}["']?(?:javascript|data):|<base\s[^>]{0,40}href\s{0,3}=\s{0,3}["']?https?:\/\/(?:\d{1,3}\.){3}\d/,
    argumentConfidence: 0.85,
    proseConfidence: 0.75,
  },
  {
    label: "java", // commands and deserialization
    needles: [
      "getruntime",
      "processbuilder",
      "readobject",
      "scriptenginemanager",
      "jndi",
      "xmldecoder",
      "urlclassloader",
    ],
    pattern:
      /\bgetruntime\s{0,3}\(\)\s{0,3}\.\s{0,3}exec\s{0,3}\(|\bnew\s{1,3}processbuilder\s{0,3}\([^\n]{0,60}["'](?:\/bin\/(?:ba)?sh|cmd(?:\.exe)?|powershell)|\bnew\s{1,3}xmldecoder\s{0,3}\(|\bgetenginebyname\s{0,3}\([^\n]{0,40}\)\s{0,3}\.\s{0,3}eval\s{0,3}\(|\blookup\s{0,3}\(\s{0,3}["'](?:ldap|rmi):\/\//,
    argumentConfidence: 0.75,
    proseConfidence: 0.4,
  },
  {
    label: "csharp", // commands and deserialization
    needles: [
      "process.start",
      "binaryformatter",
      "losformatter",
      "objectstateformatter",
      "virtualalloc",
      "createremotethread",
      "assembly.load",
    ],
    pattern:
      /\bprocess\.start\s{0,3}\(\s{0,3}@?["'](?:cmd|powershell|\/bin\/)|\bnew\s{1,3}(?:binaryformatter|losformatter|objectstateformatter|netdatacontractserializer)\s{0,3}\(|\b(?:virtualalloc(?:ex)?|createremotethread|writeprocessmemory)\s{0,3}\(|\bassembly\.load\s{0,3}\(\s{0,3}convert\.frombase64string/,
    argumentConfidence: 0.75,
    proseConfidence: 0.5,
  },
];
