/** Process settings: the only file that knows their names. docs/settings.md is made from it. */
import { join, resolve } from "node:path";
import { z } from "zod";
import { describeIssue } from "./contract/describe-issue.ts";
import { PLANES, type Plane } from "./contract/endpoint.ts";
import { AppError } from "./contract/errors.ts";
import { parseAddressBlock } from "./lib/http/ip-address.ts";

const seconds = z.coerce.number().min(0).max(86_400);
/** A wait of nothing would refuse everything. */
const wait = seconds.min(0.1);
/** The longest that Bun keeps a client's connection on which nothing moves. */
export const CONNECTION_IDLE_S = 255;
const mebibytes = z.coerce.number().int().min(1).max(65_536);
const address = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:]+):\d{1,5}$/, "must be host:port, such as 127.0.0.1:8080")
  .refine((text) => Number(/\d+$/.exec(text)?.[0]) <= 65_535, "a port is at most 65535");
const flag = z.stringbool();
const addressBlock = z.string().transform((text, context) => {
  const block = parseAddressBlock(text);
  if (!block)
    context.addIssue(`"${text.trim()}" is neither an address nor a block such as 10.0.0.0/8`);
  return block ?? z.NEVER;
});
const UNREADABLE =
  "is no address: write a / # @ or % in its user or password as %2F %23 %40 %25, and look at host and port";
/** Set but empty means not set, as in every shell. */
const blank = (value: unknown) => (value === "" ? undefined : value);

export const Settings = z.object({
  PORTCULLIS_LISTEN: address.default("127.0.0.1:8080").describe("Where the planes listen."),
  PORTCULLIS_LISTEN_ADMIN: address.optional().describe("Where the admin plane listens instead."),
  PORTCULLIS_LISTEN_GATEWAY: address.optional().describe("Where the data plane listens instead."),
  PORTCULLIS_LISTEN_GUARD: address.optional().describe("Where the guard plane listens instead."),
  PORTCULLIS_LISTEN_MCP: address.optional().describe("Where the MCP plane listens instead."),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((text) => text.replace(/\/+$/, ""))
    .optional()
    .describe(
      "Address under which clients reach this program, such as `https://gateway.example.com`. Left out: the one a request names. Set it behind a proxy. Connecting accounts by OAuth requires it, unless the MCP plane listens on loopback.",
    ),
  PORTCULLIS_PLANES: z
    .string()
    .default(PLANES.join(","))
    .transform((text) => text.split(",").map((name) => name.trim()))
    .pipe(z.array(z.enum(PLANES)).min(1))
    .describe("Which planes this process serves."),
  PORTCULLIS_DATA_DIR: z
    .string()
    .default("./data")
    .describe("Folder of the database file, the key file and temporary bodies."),
  PORTCULLIS_ADMIN_TOKEN: z
    .string()
    .min(16)
    .max(512)
    .optional()
    .describe("Secret. The first owner token gets this value instead of a generated one."),
  PORTCULLIS_KEYS: z
    .string()
    .optional()
    .describe(
      "Secret. Encryption keys as `id:base64` of 32 bytes, separated by commas; the first one seals. Left out: the file `keys` in the data folder. Every node needs the same keys.",
    ),
  PORTCULLIS_CONFIG: z
    .string()
    .optional()
    .describe("A configuration file to apply at start and whenever it changes."),
  PORTCULLIS_DEMO: flag
    .default(true)
    .describe("Create the demo gateway when the installation is new."),
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:|postgres(ql)?:\/\/)/, "must start with sqlite: or postgres://")
    // A database in memory would be a new one for each connection, and gone with the program.
    .regex(/^(?!sqlite:(\/\/)?(:memory:|\?|$))/, "must name a file: sqlite:FILE")
    .refine((text) => text.startsWith("sqlite:") || isReadable(text), UNREADABLE)
    .optional()
    .describe("`sqlite:FILE` or `postgres://…`. Left out: `portcullis.db` in the data folder."),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, "must start with redis:// or rediss://")
    .refine(isReadable, UNREADABLE)
    .optional()
    .describe(
      "`redis://…` or `rediss://…`: where rate limits are counted for all nodes together. Left out: in the memory of each process.",
    ),
  TRUSTED_PROXIES: z
    .string()
    .default("")
    .transform((text) => text.split(",").filter((part) => part.trim() !== ""))
    .pipe(z.array(addressBlock))
    .describe(
      "Addresses and blocks such as `10.0.0.0/8`, separated by commas: proxies whose X-Forwarded-For is believed.",
    ),
  MCP_ALLOWED_ORIGINS: z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((part) => part.trim() || []))
    .pipe(z.array(z.string().refine(isOrigin, "must be origins such as https://app.example.com")))
    .describe(
      "Origins of web pages that may call the MCP endpoint, such as `https://app.example.com`, separated by commas. The origin of PUBLIC_URL always may.",
    ),
  ALLOW_PRIVATE_UPSTREAMS: flag
    .default(true)
    .describe(
      "Whether owners may set `allow_private`, which lets a registry, an issuer, a catalog entry or a detector reach loopback and private addresses. false: none of them does, stored ones included.",
    ),
  PRIVATE_DATA_PLANE: flag
    .default(false)
    .describe("Require the X-AG-Gateway-Slug header on the data plane."),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"])
    .default("info")
    .describe("Least level that is logged: debug, info, warn or error."),
  LOG_FORMAT: z
    .enum(["auto", "json", "pretty"])
    .default("auto")
    .describe("pretty, json, or auto: pretty on a terminal, JSON lines elsewhere."),
  METRICS_PUBLIC: flag.default(false).describe("Answer `/metrics` without an administrator token."),
  ADMIN_BODY_MIB: mebibytes.default(2).describe("Largest body of an administrative request."),
  JSON_BODY_MIB: mebibytes.default(16).describe("Largest JSON body of a data-plane request."),
  GUARD_BODY_MIB: mebibytes.default(16).describe("Largest body of an evaluation."),
  MEDIA_BODY_MIB: mebibytes.default(64).describe("Largest form of an image or audio request."),
  FILES_BODY_MIB: mebibytes.default(512).describe("Largest file upload."),
  IN_FLIGHT_MIB: mebibytes
    .default(512)
    .describe(
      "How much of request bodies may be held at once, in memory and in temporary files. Uploads that stream through are not held. MCP messages have a budget of the same size, of which a caller or server may take a quarter.",
    ),
  UPLOAD_IDLE_TIMEOUT_S: wait
    .default(60)
    .describe(
      "Longest time in which a client that sends a body brings less than 1 KiB of it, on every plane. A body that is held in memory must arrive within five times as long. Beyond: 408, and the connection is closed.",
    ),
  UPSTREAM_HEADER_TIMEOUT_S: wait
    .default(600)
    .describe("Longest wait for an upstream to begin its answer."),
  UPSTREAM_IDLE_TIMEOUT_S: wait
    // Beyond it the client's connection would end first, and the client would seem to have left.
    .max(CONNECTION_IDLE_S - 5)
    .default(120)
    .describe("Longest silence of an upstream inside its answer, at most 250."),
  EVENT_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3650)
    .default(30)
    .describe("How long the data plane's requests are listed."),
  ACTIVITY_COMMIT: z
    .enum(["before", "after"])
    .optional()
    .describe(
      "Whether an evaluation's event is safe `before` its answer leaves (on SQLite in a journal beside the database, on Postgres committed), or written up to 250 ms `after`. Left out: before on SQLite, after on Postgres.",
    ),
  SHUTDOWN_GRACE_S: seconds
    .default(0)
    .describe("After SIGTERM, how long new requests are still taken while readiness says no."),
  SHUTDOWN_TIMEOUT_S: seconds
    .default(30)
    .describe(
      "After the grace, how long running requests and streams may take to finish. A request body that is incomplete 2 s after the grace is refused.",
    ),
});
export type Settings = Omit<z.infer<typeof Settings>, "DATABASE_URL"> & { DATABASE_URL: string };
export type SettingName = keyof typeof Settings.shape;

/** Secrets never come from the command line: other users of the machine can read it. */
export const SECRET_SETTINGS: readonly SettingName[] = [
  "PORTCULLIS_ADMIN_TOKEN",
  "PORTCULLIS_KEYS",
];

/** `--listen-admin` for PORTCULLIS_LISTEN_ADMIN, `--database-url` for DATABASE_URL. */
export const toFlag = (name: SettingName): string =>
  name
    .replace(/^PORTCULLIS_/, "")
    .toLowerCase()
    .replaceAll("_", "-");

/** As one would write it; undefined when nothing stands for it. */
export function readDefault(name: SettingName): string | undefined {
  const member = Settings.shape[name];
  const value =
    member instanceof z.ZodDefault
      ? member.def.defaultValue
      : z.toJSONSchema(member, { io: "input", unrepresentable: "any" }).default;
  return value === undefined || value === "" ? undefined : String(value);
}

export function loadSettings(given: Record<string, string | undefined>): Settings {
  const known = Object.keys(Settings.shape).map((name) => [name, blank(given[name])]);
  const parsed = Settings.safeParse(Object.fromEntries(known));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(
      (issue) => `${String(issue.path[0])}: ${describeIssue(issue)}`,
    );
    throw new AppError("bad_settings", lines.join("\n"));
  }
  const file = join(resolve(parsed.data.PORTCULLIS_DATA_DIR), "portcullis.db");
  return { ...parsed.data, DATABASE_URL: parsed.data.DATABASE_URL ?? `sqlite:${file}` };
}

/** What looks like a setting and is none: mostly a slip of the pen. */
export const findUnknownSettings = (env: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(env).filter((name) => name.startsWith("PORTCULLIS_") && !(name in Settings.shape));

export const listenAddress = (settings: Settings, plane: Plane): string =>
  settings[listenSetting(settings, plane)] ?? settings.PORTCULLIS_LISTEN;

/** The setting that says where a plane listens. */
export function listenSetting(settings: Settings, plane: Plane) {
  const own = `PORTCULLIS_LISTEN_${plane.toUpperCase() as Uppercase<Plane>}` as const;
  return settings[own] === undefined ? "PORTCULLIS_LISTEN" : own;
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

/** A password may hold any character, and some of them end the part of the address that it is in. */
function isReadable(address: string): boolean {
  try {
    const { username, password } = new URL(address);
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}
