/** Defines and loads the settings of the process. docs/settings.md is generated from it. */
import { z } from "zod";
import { describeIssue } from "./contract/describe-issue.ts";
import { PLANES, type Plane } from "./contract/endpoint.ts";
import { AppError } from "./contract/errors.ts";
import { parseAddressBlock } from "./lib/http/ip-address.ts";
import { resolveDatabaseUrl } from "./resolve-database-url.ts";

const seconds = z.coerce.number().min(0).max(86_400);
/** A timeout of 0 would reject everything. */
const timeout = seconds.min(0.1);
/** Idle timeout of client connections: the maximum of Bun. */
export const CONNECTION_IDLE_S = 255;
const mebibytes = z.coerce.number().int().min(1).max(65_536);
const address = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:]+):\d{1,5}$/, "must be host:port, such as 127.0.0.1:8080")
  .refine((text) => Number(/\d+$/.exec(text)?.[0]) <= 65_535, "port: must be at most 65535");
const flag = z.stringbool();
const addressBlock = z.string().transform((text, context) => {
  const block = parseAddressBlock(text);
  if (!block)
    context.addIssue(`"${text.trim()}" is not an IP address or a block such as 10.0.0.0/8`);
  return block ?? z.NEVER;
});
const DIRECT_HOST = /^(\*?\.)?[\w-]+(\.[\w-]+)*\.?$|^\[?[0-9a-fA-F.:]+\]?(\/\d{1,3})?$/;
const UNREADABLE =
  "is not a valid URL: check host and port, and encode / # @ % in user and password as %2F %23 %40 %25";
/** An empty value counts as not set. */
const unsetEmpty = (value: unknown) => (value === "" ? undefined : value);

const MAX_WORKERS = 128;

export const Settings = z.object({
  PORTCULLIS_LISTEN: address.default("127.0.0.1:8080").describe("Listen address of all planes."),
  PORTCULLIS_LISTEN_ADMIN: address.optional().describe("Listen address of the admin plane."),
  PORTCULLIS_LISTEN_GATEWAY: address.optional().describe("Listen address of the data plane."),
  PORTCULLIS_LISTEN_GUARD: address.optional().describe("Listen address of the guard plane."),
  PORTCULLIS_LISTEN_MCP: address.optional().describe("Listen address of the MCP plane."),
  TLS_CERT_FILE: z
    .string()
    .optional()
    .describe(
      "File with the certificate of all listen addresses and its chain (PEM); they then use https. Requires TLS_KEY_FILE. Both are read again when they change.",
    ),
  TLS_KEY_FILE: z
    .string()
    .optional()
    .describe("File with the unencrypted private key of the certificate (PEM)."),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((text) => text.replace(/\/+$/, ""))
    .optional()
    .describe(
      "Public URL of this program, such as `https://gateway.example.com`. Default: the Host header of the request. Set it behind a proxy. Connecting accounts by OAuth requires it, unless the MCP plane listens on loopback.",
    ),
  PORTCULLIS_PLANES: z
    .string()
    .default(PLANES.join(","))
    .transform((text) => text.split(",").map((name) => name.trim()))
    .pipe(z.array(z.enum(PLANES)).min(1))
    .describe("Planes that this process serves, separated by commas."),
  PORTCULLIS_WORKERS: z
    .union([z.literal("auto"), z.coerce.number().int().min(1).max(MAX_WORKERS)], {
      error: `must be a number from 1 to ${MAX_WORKERS}, or auto`,
    })
    .default(1)
    .describe(
      "Number of processes that share the listen addresses, or `auto`: one per core. More than 1 requires Linux. IN_FLIGHT_MIB and connections to Postgres count for each of them.",
    ),
  WORKER_HANG_S: seconds
    .min(1)
    .default(30)
    .describe(
      "Kills and replaces one of several workers whose event loop is blocked for this time.",
    ),
  PORTCULLIS_DATA_DIR: z
    .string()
    .default("./data")
    .describe("Folder of the database file, the key file and temporary files."),
  PORTCULLIS_ADMIN_TOKEN: z
    .string()
    .min(16)
    .max(512)
    .optional()
    .describe("Secret. Value of the first owner token, instead of a generated one."),
  PORTCULLIS_KEYS: z
    .string()
    .optional()
    .describe(
      "Secret. Encryption keys as `id:base64` of 32 bytes, separated by commas; the first one encrypts. Default: the file `keys` in the data folder. All nodes require the same keys.",
    ),
  PORTCULLIS_CONFIG: z
    .string()
    .optional()
    .describe("Configuration file, applied at start and whenever it changes."),
  PORTCULLIS_DEMO: flag.default(true).describe("Create a demo gateway in a new installation."),
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:|postgres(ql)?:\/\/)/, "must start with sqlite: or postgres://")
    // A database in memory would differ for each connection, and be lost at exit.
    .regex(/^(?!sqlite:(\/\/)?(:memory:|\?|$))/, "must be a file: sqlite:FILE")
    .refine((text) => text.startsWith("sqlite:") || isReadable(text), UNREADABLE)
    .optional()
    .describe("`sqlite:FILE` or `postgres://…`. Default: `portcullis.db` in the data folder."),
  DATABASE_PASSWORD_FILE: z.string().optional().describe("File with the password for Postgres."),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, "must start with redis:// or rediss://")
    .refine(isReadable, UNREADABLE)
    .optional()
    .describe(
      "`redis://…` or `rediss://…`: counts rate limits across all nodes. Default: each process counts in its memory.",
    ),
  TRUSTED_PROXIES: z
    .string()
    .default("")
    .transform((text) => text.split(",").filter((part) => part.trim() !== ""))
    .pipe(z.array(addressBlock))
    .describe(
      "IP addresses and blocks such as `10.0.0.0/8`, separated by commas: proxies whose X-Forwarded-For header is trusted.",
    ),
  MCP_ALLOWED_ORIGINS: z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((part) => part.trim() || []))
    .pipe(z.array(z.string().refine(isOrigin, "must be origins such as https://app.example.com")))
    .describe(
      "Origins of web pages that may call the MCP endpoint, such as `https://app.example.com`, separated by commas. The origin of PUBLIC_URL is always allowed.",
    ),
  ALLOW_PRIVATE_UPSTREAMS: flag
    .default(true)
    .describe(
      "Allow owners of all gateways to set `allow_private`, which lets a registry, an issuer, a catalog entry or a detector connect to loopback and private addresses. false: such connections are rejected, also for stored resources.",
    ),
  EGRESS_PROXY: z
    .string()
    .regex(/^http:\/\//, "must start with http://")
    .refine(isReadable, UNREADABLE)
    .optional()
    .describe(
      "Secret. HTTP proxy of all outbound requests, such as `http://user:password@proxy.example.com:3128`. It is sent CONNECT requests. A registry can have another one.",
    ),
  EGRESS_NO_PROXY: z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((part) => part.trim() || []))
    .pipe(
      z.array(
        z
          .string()
          .regex(
            DIRECT_HOST,
            "must be hosts, domains such as .example.com, IP addresses and blocks such as 10.0.0.0/8",
          ),
      ),
    )
    .describe(
      "Hosts that are reached without EGRESS_PROXY, separated by commas: names, domains with their hosts such as `.example.com`, IP addresses and blocks such as `10.0.0.0/8`. Addresses of this machine and link-local ones are always included.",
    ),
  EGRESS_CA_FILE: z
    .string()
    .optional()
    .describe(
      "File with certificate authorities (PEM) that are trusted for outbound requests, besides the built-in ones. Read at start.",
    ),
  PRIVATE_DATA_PLANE: flag
    .default(false)
    .describe("Require the X-AG-Gateway-Slug header on the data plane."),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"])
    .default("info")
    .describe("Minimum log level: debug, info, warn or error."),
  LOG_FORMAT: z
    .enum(["auto", "json", "pretty"])
    .default("auto")
    .describe("pretty, json, or auto: pretty on a terminal, otherwise JSON lines."),
  METRICS_PUBLIC: flag.default(false).describe("Serve `/metrics` without an administrator token."),
  ADMIN_BODY_MIB: mebibytes
    .default(2)
    .describe("Maximum body of an administrative request. It may have at most 50,000 values."),
  JSON_BODY_MIB: mebibytes.default(16).describe("Maximum JSON body of a data-plane request."),
  GUARD_BODY_MIB: mebibytes
    .default(16)
    .describe(
      "Maximum body of an evaluation, and of a request or response that a guard evaluates. Hostile text takes up to 180 times its size (2.7 GB for 15 MB with ten detectors), and two collectors are evaluated at once, beside bodies of 10 MB together that wait between two detectors: lower it where memory is scarce.",
    ),
  MEDIA_BODY_MIB: mebibytes
    .default(64)
    .describe("Maximum multipart body of an image or audio request."),
  FILES_BODY_MIB: mebibytes.default(512).describe("Maximum file upload."),
  IN_FLIGHT_MIB: mebibytes
    .default(512)
    .describe(
      "Maximum size of all request bodies, and of responses that are translated, or that a guard or `files_scope: own` reads completely, held at once in memory and in temporary files until the client has read them. The requests of one consumer, or the evaluations of one collector or administrator, may use three quarters of it together; a single request may use more. The text of a stream that a guard evaluates counts twice; streamed uploads do not count. MCP messages have a separate budget of the same size, of which a caller or server may use a quarter. The admin API and the forms of `/me` have a budget of a quarter of the size, but at least 42 times `ADMIN_BODY_MIB`, for bodies over 8 KiB and their parsed values: one administrator may use a quarter of it, and all clients without a token together 1/32. Plan six times this size for the memory of the process: buffers of requests that have ended are collected later. Hostile upstreams of 50 consumers, with 1,600 streams of 10 MB in a row, reached ten times.",
    ),
  UPLOAD_IDLE_TIMEOUT_S: timeout
    .default(60)
    .describe(
      "Maximum time for a client to send 1 KiB of a request body, on every plane. A body that is held in memory must arrive within five times as long. Otherwise the response is 408, and the connection is closed. After another error, it is closed when this time has passed without a new request.",
    ),
  UPSTREAM_HEADER_TIMEOUT_S: timeout
    .default(600)
    .describe("Maximum wait for the response headers of an upstream."),
  UPSTREAM_IDLE_TIMEOUT_S: timeout
    // Otherwise the client's connection would time out first, and count as closed by the client.
    .max(CONNECTION_IDLE_S - 5)
    .default(120)
    .describe("Maximum pause of an upstream within its response, at most 250."),
  EVENT_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe("Retention of data-plane request events."),
  ACTIVITY_COMMIT: z
    .enum(["before", "after"])
    .optional()
    .describe(
      "`before`: the event of an evaluation is safe before the response is sent (on SQLite in a journal next to the database, on Postgres committed). `after`: it is written up to 250 ms later. Default: before on SQLite, after on Postgres.",
    ),
  SHUTDOWN_GRACE_S: seconds
    .default(0)
    .describe("After SIGTERM, how long new requests are accepted while readiness fails."),
  SHUTDOWN_TIMEOUT_S: seconds
    .default(30)
    .describe(
      "After SHUTDOWN_GRACE_S, how long running requests and streams may take to finish. A request body that is incomplete after 2 s of it is rejected.",
    ),
});
export type Settings = Omit<z.infer<typeof Settings>, "DATABASE_URL"> & { DATABASE_URL: string };
export type SettingName = keyof typeof Settings.shape;

/** Settings without a flag: other users of the machine can read the command line. */
export const SECRET_SETTINGS: readonly SettingName[] = [
  "PORTCULLIS_ADMIN_TOKEN",
  "PORTCULLIS_KEYS",
  "EGRESS_PROXY",
];

/** Returns the flag of a setting, such as `listen-admin` for PORTCULLIS_LISTEN_ADMIN. */
export const toFlag = (name: SettingName): string =>
  name
    .replace(/^PORTCULLIS_/, "")
    .toLowerCase()
    .replaceAll("_", "-");

/** Returns the default as a user would write it; undefined when there is none. */
export function readDefault(name: SettingName): string | undefined {
  const member = Settings.shape[name];
  const value =
    member instanceof z.ZodDefault
      ? member.def.defaultValue
      : z.toJSONSchema(member, { io: "input", unrepresentable: "any" }).default;
  return value === undefined || value === "" ? undefined : String(value);
}

export function loadSettings(given: Record<string, string | undefined>): Settings {
  const values = Object.keys(Settings.shape).map((name) => [name, unsetEmpty(given[name])]);
  const parsed = Settings.safeParse(Object.fromEntries(values));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(
      (issue) => `${String(issue.path[0])}: ${describeIssue(issue)}`,
    );
    throw new AppError("bad_settings", lines.join("\n"));
  }
  return { ...parsed.data, DATABASE_URL: resolveDatabaseUrl(parsed.data) };
}

/** Returns variables with our prefix that are not settings, such as misspelled ones. */
export const findUnknownSettings = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env).filter((name) => name.startsWith("PORTCULLIS_") && !(name in Settings.shape));

export const listenAddress = (settings: Settings, plane: Plane): string =>
  settings[listenSetting(settings, plane)] ?? settings.PORTCULLIS_LISTEN;

export const listenScheme = (settings: Settings): "http" | "https" =>
  settings.TLS_CERT_FILE === undefined ? "http" : "https";

/** Returns the name of the setting with the listen address of a plane. */
export function listenSetting(settings: Settings, plane: Plane) {
  const own = `PORTCULLIS_LISTEN_${plane.toUpperCase() as Uppercase<Plane>}` as const;
  return settings[own] === undefined ? "PORTCULLIS_LISTEN" : own;
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

/** Rejects URLs with unencoded special characters in the password. */
function isReadable(address: string): boolean {
  try {
    const { username, password } = new URL(address);
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}
