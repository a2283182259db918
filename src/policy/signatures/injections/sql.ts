/** Signatures of SQL and NoSQL injections. */
import type { Signature } from "../signature.ts";
import { CODE_OPERATORS, COMPARISON_OPERATORS, SECRET_NAMES } from "./query-operators.ts";

/** White space of SQL, including comments and `+` of URL-encoded forms. */
const GAP = String.raw`(?:[\s+]|/\*[^*]{0,30}\*/){1,9}`;
const GAP0 = String.raw`(?:[\s+]|/\*[^*]{0,30}\*/){0,9}`;
/** End of the original value. */
const CLOSE = String.raw`['"\`)\d%][%)'"\s]{0,9}`;
/** Start of a statement. Specific, since `if` and `delete` are words of other languages too. */
const STATEMENT = String.raw`(?:select[\s(*]|insert\s{1,4}into|update\s{1,4}\w{1,60}\s{1,4}set|delete\s{1,4}from|drop\s{1,4}(?:table|database|user|view|schema)|alter\s{1,4}(?:table|user|role)|create\s{1,4}(?:or|table|user|function)|exec(?:ute)?[\s(]|declare\s{1,4}@|shutdown|waitfor\s|truncate\s{1,4}table|begin\s{1,4}\w|call\s{1,4}\w|ii?f\s{0,2}\(\s{0,2}\d|\(\s{0,2}select)`;
const statement = /^[\s(]{0,9}(?:select|insert|update|delete|with|create|alter|drop|explain)\s/;
/** Query that starts before any value. */
const query = /^[^']{0,400}\bselect\b/;
const sql = (source: string) => new RegExp(source);

export const SQL: readonly Signature<"sql" | "nosql">[] = [
  {
    label: "sql", // ' or 1=1, ") and 3=4
    needles: [
      "=",
      "<",
      ">",
      "like 1",
      "like 2",
      "like 3",
      "like 4",
      "like 5",
      "like 6",
      "like 7",
      "like 8",
      "like 9",
    ],
    pattern: sql(
      String.raw`(?:${CLOSE}(?:or|and|xor|\|\||&&|where|having|rlike)|where|when)${GAP0}(?:not${GAP})?[(]{0,4}\d{1,9}\s{0,4}(?:=|<>|!=|<|>|like)\s{0,4}[(]{0,4}\d{1,9}(?![\d.%]|\s{0,4}(?:px|ms))`,
    ),
    argumentConfidence: 0.9,
    proseConfidence: 0.75,
  },
  {
    label: "sql", // ' or 'a'='a, ") or ("x" like "x; but not "!" and "="
    needles: ["=", "like '", 'like "', "like ("],
    pattern: sql(
      String.raw`['"\d)%][%)'"\s]{0,9}(?:or|and(?!\s['"]=['"])|\|\||&&)${GAP0}(?:not${GAP})?[(]{0,4}(['"])([\w%]{0,20})\1?[)]{0,4}\s{0,4}(?:=|like)\s{0,4}[(]{0,4}\1\2(?:\1|(?!\w))`,
    ),
    argumentConfidence: 0.95,
    proseConfidence: 0.85,
  },
  {
    label: "sql", // union select in a value
    needles: ["union"],
    pattern: sql(String.raw`\bunion${GAP}(?:(?:all|distinct)${GAP})?[(]{0,3}select\b`),
    unless: statement,
    argumentConfidence: 0.9,
    proseConfidence: 0.5,
  },
  {
    label: "sql", // union select 1,2,3 and null,null
    needles: ["union"],
    pattern: sql(
      String.raw`\bunion${GAP}(?:(?:all|distinct)${GAP})?[(]{0,3}select${GAP}(?:\d{1,9}|null|@@|char\(|concat|0x[\da-f]{4})`,
    ),
    argumentConfidence: 0.95,
    proseConfidence: 0.75,
  },
  {
    label: "sql", // ' union select … --
    needles: ["union"],
    pattern: sql(
      String.raw`${CLOSE}union${GAP}(?:(?:all|distinct)${GAP})?[(]{0,3}select\b[^\n]{0,200}(?:--|#|/\*)`,
    ),
    unless: query,
    argumentConfidence: 0.95,
    proseConfidence: 0.9,
  },
  {
    label: "sql", // '; drop table x
    needles: [";"],
    pattern: sql(String.raw`(?:['"][)%'"]{0,6}|\d[)]{0,6}|[)])[ \t+]{0,4};[ \t+]{0,9}${STATEMENT}`),
    unless: statement,
    argumentConfidence: 0.85,
    proseConfidence: 0.4,
  },
  {
    label: "sql", // '; drop table x --
    needles: [";"],
    pattern: sql(
      String.raw`(?:['"][)'"]{0,6}|^\d{1,9}[)]{0,6})\s{0,4};\s{0,9}(?:drop|insert|delete|update|exec|shutdown|select|waitfor)\b[^\n]{0,120}(?:--|/\*|#)`,
    ),
    unless: statement,
    argumentConfidence: 0.95,
    proseConfidence: 0.85,
  },
  {
    label: "sql", // admin'-- at the end of the value
    needles: ["--", "#", "/*"],
    pattern: /^[^'"\n]{0,80}['"][)\s'"]{0,9}(?:--[\s-]{0,4}|#|\/\*)\s{0,4}$/,
    argumentConfidence: 0.85,
    proseConfidence: 0.8,
  },
  {
    label: "sql", // 1) order by 5#
    needles: ["order", "group", "having", "limit"],
    pattern: sql(
      String.raw`^[^\n;]{0,40}${CLOSE}(?:(?:order|group)${GAP}by|having|limit)${GAP}\d{1,4}[\s,\d]{0,40}(?:--|#|/\*|$)`,
    ),
    argumentConfidence: 0.8,
    proseConfidence: 0.6,
  },
  {
    label: "sql", // functions for time-based, error-based and out-of-band injection
    needles: [
      "sleep(",
      "sleep (",
      "benchmark(",
      "waitfor",
      "dbms_",
      "utl_",
      "xp_",
      "load_file",
      "outfile",
      "dumpfile",
      "extractvalue",
      "updatexml",
      "procedure a",
      "randomblob",
      "regexp_substring",
      "ctxsys",
      "receive_message",
    ],
    pattern:
      /\bpg_sleep\s{0,3}\(|(?:\bselect|\band|\bor|[=(,|])[\s(]{0,6}sleep\s{0,3}\(\s{0,3}\d{1,3}\s{0,3}\)|\bbenchmark\(\s{0,3}\d{4}|\bwaitfor[\s+]{1,4}delay|\bdbms_(?:pipe|lock|ldap|xmlgen|utility)\b|\butl_(?:inaddr|http)\b|\bxp_(?:cmdshell|dirtree|regread)\b|\bload_file\s{0,3}\(|\binto\s{1,4}(?:outfile|dumpfile)\b|\b(?:extractvalue|updatexml)\s{0,3}\([^\n]{0,60}(?:concat|select)|\bprocedure\s{1,4}analyse\b|\brandomblob\(|\bregexp_substring\(|\bctxsys\.|\breceive_message\(/,
    argumentConfidence: 0.85,
    proseConfidence: 0.4,
  },
  {
    label: "sql", // encoded text, system catalogs, conditional queries
    needles: [
      "char(",
      "chr(",
      "0x7",
      "information_schema",
      "sysdatabases",
      "all_users",
      "sysusers",
      "sysibm",
      "rdb$",
      "elt(",
      "make_set(",
      "iif(",
      ")*",
      "case when",
      "case  when",
      "select(",
      "select (",
      "rlike",
      "in boolean",
    ],
    pattern:
      /\bcha?r\(\d{1,3}\)[\s+|]{1,4}cha?r\(\d|\bconcat\(0x|\bconcat\(char\(|\binformation_schema\.|\bsysdatabases\b|\ball_users\s{1,3}t1|\bsysusers\s{1,3}as\s{1,3}sys|\bsysibm\.|\brdb\$|\b(?:elt|make_set)\([-\d]{1,9}[=<>]|\biif\(\d{1,9}[=<>]\d|^\(\d{1,9}=\d{1,9}\)\*\d|\bcase\s{1,4}when\s{0,4}\(?\d{1,9}\s{0,3}[=<>]|\bselect\s{0,4}\(\s{0,4}(?:case|elt|sleep|select)\b|\brlike\s{0,4}\(\s{0,4}select\b|\bin\s{1,3}boolean\s{1,3}mode\s{0,3}\)|\brow\(\d{1,9},\d{1,9}\)\s{0,3}[<>]/,
    argumentConfidence: 0.85,
    proseConfidence: 0.4,
  },
  {
    label: "sql", // a query inside a value
    needles: ["select"],
    pattern: sql(
      String.raw`^[^\n]{0,60}(?:['"\`)%]|^-?\d{1,9}|[=,(|+])[%)'"\s]{0,9}(?:and|or|,|\|\||\+|=|in|as|iif|where|;)?[\s(,=\w]{0,24}\(\s{0,4}select\b`,
    ),
    unless: statement,
    argumentConfidence: 0.75,
    proseConfidence: 0.3,
  },
  {
    label: "nosql", // [$ne]=
    needles: ["[$"],
    pattern: /\[\$(?:ne|gte?|lte?|regex|where|exists|in|nin|or)\]\s{0,3}=/,
    argumentConfidence: 0.9,
    proseConfidence: 0.85,
  },
  {
    label: "nosql", // {"$gt": ""}
    needles: ["$ne", "$gt", "$lt", "$regex", "$exists", "$nin"],
    pattern:
      /\{\s{0,4}["']?\$(?:ne|gte?|lte?|regex|nin|exists)["']?\s{0,4}:\s{0,4}(?:null|""|''|"\.\*"|'\.\*'|\/\.\*\/|undefined|-1|\[\s{0,2}\])\s{0,4}[},]/,
    argumentConfidence: 0.85,
    proseConfidence: 0.6,
  },
  {
    label: "nosql", // member name that isHostileOperator detected
    needles: [...CODE_OPERATORS, ...COMPARISON_OPERATORS],
    pattern: /^\$[a-z]{1,12}$/,
    namesOnly: true,
    argumentConfidence: 0.9,
    proseConfidence: 0.6,
  },
  {
    label: "nosql", // "password": {"$ne": 1}
    needles: COMPARISON_OPERATORS,
    pattern: new RegExp(
      String.raw`\b(?:${SECRET_NAMES})["']?\s{0,4}:\s{0,4}\{\s{0,4}["']?\$(?:${COMPARISON_OPERATORS.map((name) => name.slice(1)).join("|")})["']?\s{0,4}:`,
    ),
    argumentConfidence: 0.85,
    proseConfidence: 0.6,
  },
  {
    label: "nosql", // $where with code, '; return true; //
    needles: ["$where", "; return", ";return", "||"],
    pattern:
      /["']?\$where["']?\s{0,4}:\s{0,4}(?:["'`]|function|this\.|sleep|return|1|true)|['"]\s{0,3};\s{0,3}return\s{1,3}(?:true|1|'|this)|['"]\s{0,3}\|\|\s{0,3}(?:1\s{0,2}==?=?\s{0,2}1|this\.\w{1,30}|'[^'\n]{0,20}'\s{0,2}==?=?\s{0,2}')/,
    argumentConfidence: 0.85,
    proseConfidence: 0.6,
  },
];
